import { FirstTokenTimes } from './first-token-times';

describe('FirstTokenTimes', () => {
  it('knows nothing of few, then what nineteen of twenty stay within', () => {
    const times = new FirstTokenTimes();
    for (let ms = 1; ms < 20; ms++) times.add(ms);
    expect(times.usualMs).toBeUndefined();
    times.add(1_000);
    expect(times.usualMs).toBe(19);
    times.add(2_000);
    expect(times.usualMs).toBe(1_000);
  });

  it('goes by how long they took, not by when they came', () => {
    const times = new FirstTokenTimes();
    times.add(1_000);
    for (let ms = 119; ms > 100; ms--) times.add(ms);
    expect(times.usualMs).toBe(119);
  });

  it('forgets all but the last 64', () => {
    const times = new FirstTokenTimes();
    for (let time = 0; time < 64; time++) times.add(1_000);
    for (let time = 0; time < 64; time++) times.add(10);
    expect(times.usualMs).toBe(10);
  });
});
