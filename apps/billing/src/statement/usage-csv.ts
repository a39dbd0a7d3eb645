import { formatUsdc } from '@svc/money';
import { csvLine } from './csv';
import type { ServedRow, UsageRow } from './usage-list.store';

type Cell = string | number | boolean;
type Column = readonly [name: string, value: (row: UsageRow) => Cell];

/** A column that only what was served has; or of which nobody said anything. */
const served =
  (value: (row: ServedRow) => Cell | null) =>
  (row: UsageRow): Cell =>
    row.provider === null ? '' : (value(row) ?? '');

const COLUMNS: readonly Column[] = [
  ['request_id', (row) => row.hold_id],
  ['created_at', (row) => row.created_at],
  ['key_id', (row) => row.key_id],
  ['model', (row) => row.model],
  ['provider', served((row) => row.provider)],
  ['offer_id', served((row) => row.offer_id)],
  ['prompt_tokens', served((row) => row.prompt_tokens)],
  ['completion_tokens', served((row) => row.completion_tokens)],
  ['token_source', served((row) => row.token_source)],
  ['input_price_per_mtok', served((row) => row.input_price_per_mtok)],
  ['output_price_per_mtok', served((row) => row.output_price_per_mtok)],
  ['attempts', (row) => row.attempts ?? ''],
  ['finish_reason', served((row) => row.finish_reason)],
  ['held_usdc', (row) => formatUsdc(BigInt(row.held))],
  ['charged_usdc', (row) => formatUsdc(BigInt(row.charged))],
  ['late', served((row) => row.late)],
  ['refunded', served((row) => row.refunded)],
  ['outcome', (row) => (row.provider === null ? 'unserved' : 'served')],
  ['first_token_ms', served((row) => row.first_token_ms)],
  ['total_ms', (row) => row.total_ms ?? ''],
  ['reason', (row) => (row.provider === null ? row.reason : '')],
  ['error_code', (row) => (row.provider === null ? (row.code ?? '') : '')],
];

/** The first line: the names of the columns. */
export const USAGE_CSV_HEAD = csvLine(COLUMNS.map(([name]) => name));

/** Usage as lines of CSV; money in USDC with six decimals, prices in base units per million tokens. */
export function usageCsv(rows: readonly UsageRow[]): string {
  return rows.map((row) => csvLine(COLUMNS.map(([, value]) => value(row)))).join('');
}
