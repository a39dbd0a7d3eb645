import { Wishes } from './wishes';

describe('Wishes', () => {
  let wishes: Wishes;
  const held = new Map([['a', 2]]);
  const standing = (nowMs: number) => wishes.fewestFirst(nowMs, (instanceId) => held.get(instanceId) ?? 0);

  beforeEach(() => {
    wishes = new Wishes();
  });

  it('stand for half a second, and as long again when they are repeated', () => {
    wishes.set('a', 1, 0);
    expect([wishes.some(500), standing(500).length]).toEqual([true, 1]);
    expect(standing(501)).toEqual([]);
    wishes.set('a', 1, 500);
    expect([wishes.some(1_000), wishes.some(1_001)]).toEqual([true, false]);
  });

  it('are over when none is wished for any more', () => {
    wishes.set('a', 1, 0);
    wishes.set('a', 0, 1);
    expect([wishes.some(1), standing(1)]).toEqual([false, []]);
  });

  it('are for what has not been got yet, from whomever', () => {
    wishes.set('a', 2, 0);
    wishes.granted('a', 1);
    wishes.granted('a', 0);
    wishes.granted('a', -2);
    wishes.granted('b', 5);
    expect(standing(0)).toEqual([{ instanceId: 'a', count: 1 }]);
    wishes.granted('a', 1);
    expect(wishes.some(0)).toBe(false);
  });

  it('are heard of those first who have fewest', () => {
    for (const instanceId of ['a', 'b']) wishes.set(instanceId, 1, 0);
    expect(standing(0).map(({ instanceId }) => instanceId)).toEqual(['b', 'a']);
  });

  it('can be asked about some of those who wish', () => {
    for (const instanceId of ['a', 'b']) wishes.set(instanceId, 1, 0);
    expect(wishes.some(0, (instanceId) => instanceId === 'b')).toBe(true);
    expect(wishes.some(0, (instanceId) => instanceId === 'c')).toBe(false);
  });
});
