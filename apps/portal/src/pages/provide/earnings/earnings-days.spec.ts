import { daysOf, fewModels, modelsOf } from './earnings-days';

const NOW = Date.parse('2026-11-21T15:00:00Z');
const lines = [
  { time: '2026-11-19T00:00:00Z', model: 'svc/a@1', credited_usdc: '0.000450' },
  { time: '2026-11-21T00:00:00Z', model: 'svc/a@1', credited_usdc: '1.000000' },
  { time: '2026-11-21T00:00:00Z', model: 'svc/b@1', credited_usdc: '2.500000' },
];

describe('earnings by day', () => {
  it('have every day of the period, today included, also those without any', () => {
    expect(daysOf(lines, 3, NOW)).toEqual([
      { day: '2026-11-19', 'svc/a@1': 0.00045 },
      { day: '2026-11-20' },
      { day: '2026-11-21', 'svc/a@1': 1, 'svc/b@1': 2.5 },
    ]);
  });

  it('leave out what is before the period', () => {
    expect(daysOf(lines, 1, NOW)).toEqual([{ day: '2026-11-21', 'svc/a@1': 1, 'svc/b@1': 2.5 }]);
  });

  it('put the model that earned most first', () => {
    expect(modelsOf(lines)).toEqual(['svc/b@1', 'svc/a@1']);
  });

  it('of fifty models are those of the seven largest, and of all others as one', () => {
    const fifty = Array.from({ length: 50 }, (_, index) => ({
      ...{ time: '2026-11-21T00:00:00Z', model: `svc/m${index}@1`, credited_usdc: `${index + 1}.000000` },
    }));
    const few = fewModels(fifty);
    expect(modelsOf(few)).toEqual([
      ...['svc/m49@1', 'svc/m48@1', 'svc/m47@1', 'svc/m46@1', 'svc/m45@1', 'svc/m44@1', 'svc/m43@1'],
      'All others',
    ]);
    expect(daysOf(few, 1, NOW)).toEqual([
      expect.objectContaining({ 'svc/m49@1': 50, 'All others': (43 * 44) / 2 }),
    ]);
  });

  it('leave few models as they are', () => {
    expect(fewModels(lines)).toEqual(lines);
  });
});
