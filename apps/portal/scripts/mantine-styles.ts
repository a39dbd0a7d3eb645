import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const END = '.layer.css';

/**
 * Fails a build with a component in it whose styles are missing, or with styles of a component that nobody uses.
 * @param list the file that takes them in, one after the other
 * @param folder where Mantine's whole sheet is, and `styles/` with the parts of it
 */
export function mantineStyles(list: string, folder: string): Plugin {
  return {
    name: 'mantine-styles',
    apply: 'build',
    generateBundle(_, bundle) {
      const scripts = Object.values(bundle).map((output) => (output.type === 'chunk' ? output.code : ''));
      const complaint = complaintAbout(readFileSync(list, 'utf8'), scripts.join('\n'), folder);
      if (complaint !== undefined) this.error(complaint);
    },
  };
}

/** @returns what is to be changed in that list for a page with these scripts, if anything */
export function complaintAbout(list: string, scripts: string, folder: string): string | undefined {
  const taken = Array.from(
    list.matchAll(/@mantine\/core\/styles\/([\w-]+)\.layer\.css/g),
    ([, name]) => name,
  );
  const needed = sheetsFor(scripts, folder);
  if (taken.join() === needed.join()) return undefined;
  const lines = needed.map((name) => `import '@mantine/core/styles/${name}${END}';`);
  return `src/design/mantine-styles.ts has to be this, for the components that are used:\n${lines.join('\n')}`;
}

/** In the order of Mantine's whole sheet, where a later one may undo what an earlier one says. Those of no component are always needed. */
function sheetsFor(scripts: string, folder: string): string[] {
  const whole = readFileSync(join(folder, 'styles.css'), 'utf8');
  const used = new Set(scripts.match(/\bm_[0-9a-f]+\b/g));
  return readdirSync(join(folder, 'styles'))
    .filter((file) => file.endsWith(END))
    .map((file) => file.slice(0, -END.length))
    .map((name) => ({ name, text: readFileSync(join(folder, 'styles', `${name}.css`), 'utf8').trim() }))
    .map(({ name, text }) => ({ name, classes: text.match(/\bm_[0-9a-f]+\b/g), place: whole.indexOf(text) }))
    .filter(({ classes }) => classes === null || classes.some((name) => used.has(name)))
    .toSorted((one, other) => one.place - other.place)
    .map(({ name }) => name);
}
