// The parts of pages that benches write: each stands between two marks, as `<!-- bench:billing:start -->` and `<!-- bench:billing:end -->`, which readers do not see.
import { readFileSync, writeFileSync } from 'node:fs';

const startOf = (part) => `<!-- ${part}:start -->`;
const endOf = (part) => `<!-- ${part}:end -->`;

/** A part with both of its marks. */
export const markedPart = (part, text) => `${startOf(part)}\n\n${text.trim()}\n\n${endOf(part)}`;

/** @returns whether the page has the part's marks; false when it has neither. Throws when it has only one, or the end first. */
export function hasPart(page, part) {
  if (!page.includes(startOf(part)) && !page.includes(endOf(part))) return false;
  placeOf(page, part);
  return true;
}

/** @returns what stands between the part's marks. Throws when the page lacks them. */
export function partOf(page, part) {
  const { start, end } = placeOf(page, part);
  return page.slice(start + startOf(part).length, end).trim();
}

/** @returns the page with the text between the part's marks, instead of what stood there. Throws when the page lacks them. */
export function withPart(page, part, text) {
  const { start, end } = placeOf(page, part);
  return page.slice(0, start) + markedPart(part, text) + page.slice(end + endOf(part).length);
}

/** Like `withPart`, but a page without the part gets it at its end, marks included. */
export function withPartOrNew(page, part, text) {
  return hasPart(page, part)
    ? withPart(page, part, text)
    : `${page.trimEnd()}\n\n${markedPart(part, text)}\n`;
}

/**
 * Writes the text into the part of a page of the clone, such as `docs/performance.md`.
 * @param put `withPartOrNew` where the page may not have the part yet
 */
export function writePart(path, part, text, put = withPart) {
  const file = new URL(`../${path}`, import.meta.url);
  writeFileSync(file, put(readFileSync(file, 'utf8'), part, text));
}

/** @returns where each of the marks begins */
function placeOf(page, part) {
  const start = page.indexOf(startOf(part));
  const end = page.indexOf(endOf(part), start);
  if (start < 0 || end < 0) throw new Error(`The page has no ${startOf(part)} with ${endOf(part)} after it.`);
  return { start, end };
}
