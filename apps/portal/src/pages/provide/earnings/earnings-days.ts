import { toBaseUnits } from '../../../design/money';
import type { Earnings } from './use-earnings';

type Line = Pick<Earnings['lines'][number], 'time' | 'model' | 'credited_usdc'>;

/** One bar of the chart: what each model earned on a day, USDC for drawing only. */
type Day = { day: string } & Record<string, number | string>;

const DAY_MS = 86_400_000;
const BASE_UNITS = 1_000_000;

/** Every day of the period, also those without earnings; the oldest first. */
export function daysOf(lines: readonly Line[], days: number, nowMs: number): Day[] {
  const today = Math.floor(nowMs / DAY_MS);
  const bars = new Map<string, Day>();
  for (let back = days - 1; back >= 0; back--) {
    const day = new Date((today - back) * DAY_MS).toISOString().slice(0, 10);
    bars.set(day, { day });
  }
  for (const { time, model, credited_usdc: usdc } of lines) {
    const bar = bars.get(time.slice(0, 10));
    // A bar's height needs no more exactness than a screen has.
    if (bar) bar[model] = Number(bar[model] ?? 0) + Number(toBaseUnits(usdc)) / BASE_UNITS;
  }
  return [...bars.values()];
}

/** What the models beyond the largest are called together; no model's own name. */
export const OTHERS = 'All others';

/** How many colours can be told apart in one bar. */
const MOST_MODELS = 7;

/** The lines as a chart shows them: those of the models that earned most, and all other models as one. */
export function fewModels(lines: readonly Line[]): Line[] {
  const largest = modelsOf(lines).slice(0, MOST_MODELS);
  return lines.map((line) => (largest.includes(line.model) ? line : { ...line, model: OTHERS }));
}

/** The models in the order of what they earned, the most first; all others together come last. */
export function modelsOf(lines: readonly Line[]): string[] {
  const sums = new Map<string, bigint>();
  for (const { model, credited_usdc: usdc } of lines)
    sums.set(model, (sums.get(model) ?? 0n) + toBaseUnits(usdc));
  const models = [...sums]
    .sort(([, one], [, other]) => (one < other ? 1 : one > other ? -1 : 0))
    .map(([model]) => model);
  return [...models.filter((model) => model !== OTHERS), ...models.filter((model) => model === OTHERS)];
}
