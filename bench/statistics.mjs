// Figures of several rounds: their median, and how far they lie apart.

export const percentile = (sorted, share) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;

const ascending = (values) => [...values].sort((a, b) => a - b);

export function median(values) {
  const sorted = ascending(values);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function digits(value, places) {
  return value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places });
}

/** The median and, in brackets, the least and the most of the rounds: `2,737 (2,650–2,801)`. */
export function spread(values, places = 0) {
  if (values.length === 0 || values.some(Number.isNaN)) return '–';
  const sorted = ascending(values);
  return `${digits(median(values), places)} (${digits(sorted[0], places)}–${digits(sorted.at(-1), places)})`;
}

/** A Markdown table; all columns but the first are figures. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}
