import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const WORKSPACE = join(__dirname, '../../..');

export function readText(path: string): string {
  return readFileSync(join(WORKSPACE, path), 'utf8');
}

/** What the first group of a pattern finds, as often as it does. */
export function all(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found);
}

/** What links to a document's headings end with, as GitHub makes it. */
export function anchorsIn(document: string): string[] {
  return all(readText(document), /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The texts of what a folder is made of, tests left out. */
export function sourcesIn(folder: string): string[] {
  return readdirSync(join(WORKSPACE, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('spec.ts'))
    .map((path) => readText(join(folder, path)));
}

/** Where a metric of that name is made: of its service by what follows `svc_`, otherwise of all services. */
export function foldersOf(metric: string): string[] {
  const folder = `apps/${/^svc_([a-z]+)_/.exec(metric)?.[1] ?? ''}/src`;
  return existsSync(join(WORKSPACE, folder)) ? [folder] : ['libs/service-host/src', 'libs/observability/src'];
}

/** The files that make a metric: its name stands in them whole, or without what all of its service's begin with. */
export function makersOf(metric: string): string[] {
  const whole = metric.replace(/_bucket$/, '');
  const names = [`'${whole}'`, `'${whole.replace(/^svc_[a-z]+_/, '')}'`];
  return foldersOf(metric)
    .flatMap(sourcesIn)
    .filter((source) => names.some((name) => source.includes(name)));
}
