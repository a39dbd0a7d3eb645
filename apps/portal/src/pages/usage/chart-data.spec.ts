import { METRICS, chartRows, hasFigures, seriesName, timeLabel } from './chart-data';
import type { UsageFigures, UsageSummary } from './usage-queries';

const nothing: UsageFigures = {
  ...{ requests: 0, errors: 0, prompt_tokens: 0, completion_tokens: 0, charged_usdc: '0.000000' },
  ...{ first_token_ms: null, total_ms: null },
};
const something: UsageFigures = {
  ...{ requests: 2, errors: 1, prompt_tokens: 10, completion_tokens: 5, charged_usdc: '1.000450' },
  ...{ first_token_ms: 120, total_ms: 900 },
};
const summary: UsageSummary = {
  ...{
    object: 'usage_summary',
    from: '2026-11-20T00:00:00Z',
    to: '2026-11-22T00:00:00Z',
    unit: 'day',
    by: 'model',
  },
  times: ['2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z'],
  series: [
    { kind: 'one', value: 'svc/a@1', totals: something, figures: [nothing, something] },
    { kind: 'others', value: null, totals: nothing, figures: [nothing, nothing] },
  ],
  totals: something,
};
const metric = (id: string) => METRICS.find((each) => each.id === id) ?? METRICS[0]!;

describe('what a chart draws', () => {
  it.each([
    ['cost', [0, 1_000_450], '1.00045 USDC'],
    ['requests', [0, 2], '2'],
    ['tokens', [0, 15], '15'],
    ['errors', [0, 1], '1'],
    ['first-token', [null, 120], '120 ms'],
  ])('of %s', (id, drawn, shown) => {
    const rows = chartRows(summary, metric(id));
    expect(rows.map(({ s0 }) => s0)).toEqual(drawn);
    expect(metric(id).shown(drawn[1] ?? null)).toBe(shown);
    expect(summary.series.map((each) => hasFigures(each, metric(id)))).toEqual([true, false]);
  });

  it('is a dash where nothing is known', () => {
    expect(metric('first-token').shown(null)).toBe('–');
  });

  it('has times in UTC', () => {
    expect(chartRows(summary, metric('cost')).map(({ label }) => label)).toEqual(['20 Nov', '21 Nov']);
    expect(timeLabel('2026-11-21T14:00:00Z', 'hour')).toBe('21 Nov, 14:00');
    expect(timeLabel('2026-11-01T00:00:00Z', 'month')).toBe('Nov 2026');
  });

  it('calls each series by its name', () => {
    const names = (['one', 'others', 'nobody', 'all'] as const).map((kind) =>
      seriesName({ ...summary.series[0]!, kind }, (value) => value.toUpperCase()),
    );
    expect(names).toEqual(['SVC/A@1', 'All others', 'Nobody served', 'All']);
  });
});
