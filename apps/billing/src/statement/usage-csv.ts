import { formatUsdc } from '@svc/money';
import { csvLine } from './csv';
import type { UsageRow } from './usage-list.store';

type Column = readonly [name: string, value: (row: UsageRow) => string | number | boolean];

const COLUMNS: readonly Column[] = [
  ['request_id', (row) => row.hold_id],
  ['created_at', (row) => row.created_at],
  ['key_id', (row) => row.key_id],
  ['model', (row) => row.model],
  ['provider', (row) => row.provider],
  ['offer_id', (row) => row.offer_id],
  ['prompt_tokens', (row) => row.prompt_tokens],
  ['completion_tokens', (row) => row.completion_tokens],
  ['token_source', (row) => row.token_source],
  ['input_price_per_mtok', (row) => row.input_price_per_mtok],
  ['output_price_per_mtok', (row) => row.output_price_per_mtok],
  ['attempts', (row) => row.attempts],
  ['finish_reason', (row) => row.finish_reason],
  ['held_usdc', (row) => formatUsdc(BigInt(row.held))],
  ['charged_usdc', (row) => formatUsdc(BigInt(row.charged))],
  ['late', (row) => row.late],
  ['refunded', (row) => row.refunded],
];

/** The first line: the names of the columns. */
export const USAGE_CSV_HEAD = csvLine(COLUMNS.map(([name]) => name));

/** Usage as lines of CSV; money in USDC with six decimals, prices in base units per million tokens. */
export function usageCsv(rows: readonly UsageRow[]): string {
  return rows.map((row) => csvLine(COLUMNS.map(([, value]) => value(row)))).join('');
}
