import { PeerClocks } from './peer-clocks';

describe('PeerClocks', () => {
  let nowMs: number;
  let monotonic: jest.SpyInstance;
  let leads: unknown[];
  let clocks: PeerClocks;
  beforeEach(() => {
    nowMs = 1_000_000;
    monotonic = jest.spyOn(performance, 'now').mockReturnValue(0);
    leads = [];
    clocks = new PeerClocks(
      (...lead) => leads.push(lead),
      () => nowMs,
    );
  });
  afterEach(() => monotonic.mockRestore());

  it('go by their own clock until they know of another', () => {
    clocks.learn('billing', nowMs + 300_000);
    expect(clocks.momentIn(1_999.5, 'cortex')).toBe(nowMs + 2_000);
    expect(clocks.momentIn(2_000, 'billing')).toBe(nowMs + 302_000);
  });

  it('keep the one furthest ahead of a service’s processes, and none that is behind', () => {
    for (const aheadMs of [-5_000, 600, 86_400_000, 700]) clocks.learn('billing', nowMs + aheadMs);
    expect(clocks.momentIn(0, 'billing')).toBe(nowMs + 86_400_000);
    expect(leads).toEqual([
      ['billing', 600],
      ['billing', 86_400_000],
    ]);
  });

  it('forget after a minute: clocks are put right', () => {
    clocks.learn('billing', nowMs + 300_000);
    monotonic.mockReturnValue(59_999);
    expect(clocks.momentIn(0, 'billing')).toBe(nowMs + 300_000);
    monotonic.mockReturnValue(60_000);
    expect(clocks.momentIn(0, 'billing')).toBe(nowMs);
  });
});
