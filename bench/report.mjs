// Where the figures are written: a section for each in docs/benchmarks.md, and one row for each thing asked, there and in README.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { hasPart, markedPart, partOf, withPart, withPartOrNew } from './page-parts.mjs';
import { table } from './statistics.mjs';

const PAGE = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url));
const README = fileURLToPath(new URL('../README.md', import.meta.url));
const SUMMARY = 'bench:summary';
/** Where README.md gets its summary the first time. */
const README_PLACE = '\n## Operating\n';
const README_SECTION = `
## Speed

Measured as [docs/benchmarks.md](docs/benchmarks.md) says, which has the machine, the spreads and the command for each.

${markedPart(SUMMARY, '')}
`;

const HEAD = ['figure', 'asked', 'measured', 'how'];

const machine = () => `${cpus().length} × ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`;

/** A figure's title, text and rows of the summary, with what it was measured on. */
export function sectionOf({ name, title, about }, { seconds, text, summary }, nodeVersion) {
  const how = `Node ${nodeVersion}, ${seconds}, ${new Date().toISOString().slice(0, 10)}`;
  return {
    name,
    title,
    summary: summary.map((row) => [...row, how]),
    text: `${about}\n\nMeasured on ${machine()}: ${how}.\n\n${text}`,
  };
}

export const summaryTable = (rows) => table(HEAD, rows);

/** Puts sections into the page, each between marks of its own, and their rows into both summaries; what else stands there stays. */
export function writeReport(sections) {
  let page = readFileSync(PAGE, 'utf8');
  const rows = sections.flatMap(({ summary }) => summary);
  page = withSummary(page, rows);
  for (const { name, title, text } of sections)
    page = withPartOrNew(page, `bench:${name}`, `## ${title}\n\n${text}`);
  writeFileSync(PAGE, page);
  let readme = readFileSync(README, 'utf8');
  if (!hasPart(readme, SUMMARY)) readme = readme.replace(README_PLACE, `${README_SECTION}${README_PLACE}`);
  writeFileSync(README, withSummary(readme, rows));
  const prettier = fileURLToPath(new URL('../node_modules/.bin/prettier', import.meta.url));
  execFileSync(prettier, ['--write', '--log-level', 'warn', PAGE, README]);
}

/** Rows of figures that were not measured this time stay as they are; the machine of each stands at its section. */
function withSummary(page, rows) {
  const lines = partOf(page, SUMMARY).split('\n');
  const known = lines
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const merged = known.map((row) => rows.find(([figure]) => figure === row[0]) ?? row);
  const news = rows.filter(([figure]) => known.every(([each]) => each !== figure));
  return withPart(page, SUMMARY, summaryTable([...merged, ...news]));
}
