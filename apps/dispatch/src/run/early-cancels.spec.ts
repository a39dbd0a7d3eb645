import { EarlyCancels } from './early-cancels';

describe('EarlyCancels', () => {
  it('knows a cancel once, for a while', () => {
    const cancels = new EarlyCancels();
    cancels.add('a', 0);
    cancels.add('b', 1_000);
    expect([cancels.take('b'), cancels.take('b'), cancels.take('c')]).toEqual([true, false, false]);
    cancels.add('d', 5_000);
    cancels.add('e', 9_999);
    expect([cancels.take('a'), cancels.take('d')]).toEqual([false, true]);
  });

  it('is bounded', () => {
    const cancels = new EarlyCancels();
    for (let at = 0; at < 20_001; at++) cancels.add(`req_${at}`, 0);
    expect([cancels.take('req_19999'), cancels.take('req_20000')]).toEqual([true, false]);
  });
});
