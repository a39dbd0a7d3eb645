import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const WORKSPACE = join(__dirname, '../../..');
const read = (path: string) => readFileSync(join(WORKSPACE, path), 'utf8');
const namesIn = (folder: string) => readdirSync(join(WORKSPACE, folder));

const DOCUMENTS = [
  ...['.', 'docs', 'docs/decisions'].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
  ...namesIn('apps')
    .map((app) => `apps/${app}/README.md`)
    .filter((path) => existsSync(join(WORKSPACE, path))),
];
const PATH = /`((?:apps|libs|docs|deploy|bench|tools|prisma|\.ci)\/[\w./-]+)`/g;

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

/** What a heading is called in links to it, as GitHub makes it. */
function anchorOf(heading: string): string {
  const kept = heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '');
  return kept.replaceAll(' ', '-');
}

function leadsNowhere(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : join(dirname(document), path);
  if (!existsSync(join(WORKSPACE, target))) return true;
  return (
    anchor !== undefined &&
    !all(read(target), /^#+ (.+)$/gm)
      .map(anchorOf)
      .includes(anchor)
  );
}

/** A metric's name stands in its service's code whole, or without what all of that service's begin with. */
function isMade(metric: string): boolean {
  const [, service = '', rest = ''] = /^svc_([a-z]+)_(.+?)(?:_bucket)?$/.exec(metric) ?? [];
  const folder = existsSync(join(WORKSPACE, 'apps', service))
    ? `apps/${service}/src`
    : 'libs/service-host/src';
  const names = [`'svc_${service}_${rest}'`, `'${rest}'`];
  return readdirSync(join(WORKSPACE, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('spec.ts'))
    .map((path) => read(join(folder, path)))
    .some((source) => names.some((name) => source.includes(name)));
}

describe('the documents', () => {
  it.each(DOCUMENTS)('%s: links and paths lead somewhere', (document) => {
    const text = read(document);
    const links = all(text, /\]\(([^)\s]+)\)/g).filter((link) => !/^https?:/.test(link));
    expect(links.filter((link) => leadsNowhere(document, link))).toEqual([]);
    // What was moved since stands in the changelog as it was called then.
    const paths = document === 'CHANGELOG.md' ? [] : all(text, PATH);
    expect(paths.filter((path) => !existsSync(join(WORKSPACE, path)))).toEqual([]);
  });

  it('name scripts and metrics that there are', () => {
    const text = DOCUMENTS.map(read).join('\n');
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
    const called = new Set(all(text, /npm run ([a-z:-]*[a-z])\b(?! -w)/g));
    expect(called.size).toBeGreaterThan(10);
    expect([...called].filter((name) => !(name in scripts))).toEqual([]);
    const metrics = new Set(
      all(text, /\b(svc_(?:gateway|catalog|cortex|dispatch|billing|messages)_\w*[a-z])\b/g),
    );
    expect(metrics.size).toBeGreaterThan(25);
    expect([...metrics].filter((name) => !isMade(name))).toEqual([]);
  });
});
