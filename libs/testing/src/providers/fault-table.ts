import { PROVIDER_FAULTS } from './provider-faults';
import type { BreakerVerdict, FaultEnding, FaultOutcome, ProviderFault } from './provider-faults';

const ALONE: Record<FaultEnding, string> = {
  served: '200, whole',
  no_capacity: '503 `no_capacity`',
  provider_output_invalid: '502 `provider_output_invalid`',
  invalid_request: '400 `invalid_request`',
  broken_off: '200, then an error event',
};
const WITH_ANOTHER: Record<FaultEnding, string> = {
  served: 'served by it',
  no_capacity: 'served by the other, unseen',
  provider_output_invalid: 'served by the other, unseen',
  invalid_request: 'served by the other, unseen',
  broken_off: 'as alone',
};
const CHARGED: Record<NonNullable<FaultOutcome['tokens']>, string> = {
  provider: 'its count',
  counted: 'our count',
  capped: 'its count, capped',
};
const BREAKER: Record<BreakerVerdict, string> = {
  works: 'works',
  ignores: 'says nothing',
  counts: 'counts',
  counts_if_plain: 'counts if plain',
  opens: 'opens at once',
};

const COLUMNS: readonly [head: string, cell: (outcome: FaultOutcome) => string][] = [
  ['alone', ({ ending }) => ALONE[ending]],
  ['with another provider', ({ ending }) => WITH_ANOTHER[ending]],
  ['charged where it is alone', ({ tokens }) => (tokens ? CHARGED[tokens] : 'nothing')],
  ['attempt', ({ outcome }) => `\`${outcome}\``],
  ['breaker', ({ breaker }) => BREAKER[breaker]],
];

/** `PROVIDER_FAULTS` as a table in Markdown, as Prettier writes it. */
export function faultTable(): string {
  const rows = [
    ['the provider', ...COLUMNS.map(([head]) => head)],
    ...PROVIDER_FAULTS.map((fault) => [fault.does, ...COLUMNS.map(([, cell]) => cellOf(fault, cell))]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`);
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1), ''].join('\n');
}

/** What holds for all forms in one word; each where they differ. */
function cellOf(
  { stream, plain, document = plain }: ProviderFault,
  cell: (outcome: FaultOutcome) => string,
): string {
  const byForm = { stream: cell(stream), plain: cell(plain), document: cell(document) };
  const said = [...new Set(Object.values(byForm))].map((words) => {
    const forms = Object.entries(byForm).flatMap(([form, each]) => (each === words ? [form] : []));
    return `${forms.join(', ')}: ${words}`;
  });
  return said.length === 1 ? byForm.stream : said.join('; ');
}
