/** What a spreadsheet takes for the beginning of a formula, also behind a tab or a line break. */
const FORMULA = /^[=+\-@\t\r\n]/;
/** RFC 4180, section 2: fields with these are quoted. */
const QUOTED = /[",\r\n]/;
const CRLF = '\r\n';

/**
 * One line of CSV (RFC 4180). Text that a spreadsheet would run as a formula gets an apostrophe in front, which shows it
 * as text; numbers cannot be one and stay as they are.
 */
export function csvLine(fields: readonly (string | number | bigint | boolean)[]): string {
  return fields.map(csvField).join(',') + CRLF;
}

function csvField(value: string | number | bigint | boolean): string {
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
