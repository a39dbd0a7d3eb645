import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { WORKSPACE, all, anchorsIn, makersOf, readText as read } from './workspace-texts.for-spec';

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

function leadsNowhere(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : join(dirname(document), path);
  if (!existsSync(join(WORKSPACE, target))) return true;
  return anchor !== undefined && !anchorsIn(target).includes(anchor);
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
      all(text, /\b(svc_(?:ready\b|(?:gateway|catalog|cortex|dispatch|billing|messages)_\w*[a-z]))\b/g),
    );
    expect(metrics.size).toBeGreaterThan(25);
    expect([...metrics].filter((name) => makersOf(name).length === 0)).toEqual([]);
  });
});
