import { CrowdedOutError, Turns } from './turns';

const wanted = () => true;

describe('Turns', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Has them come in this order, behind somebody, and says in which they had their turns. */
  async function orderOf(parties: string[], isWanted = (_at: number) => true): Promise<string[]> {
    const turns = new Turns(60_000);
    const order: string[] = [];
    await turns.take('somebody', wanted);
    const all = parties.map(async (party, at) => {
      await turns.take(party[0], () => isWanted(at));
      order.push(party);
      turns.pass();
    });
    turns.pass();
    await Promise.allSettled(all);
    // Nobody is left behind.
    await turns.take('last', wanted);
    return order;
  }

  it('come round by party, and within one in the order in which they came', async () => {
    expect(await orderOf(['a1', 'a2', 'a3', 'b1', 'c1', 'b2'])).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('pass over whoever wants none any more', async () => {
    expect(await orderOf(['a1', 'a2', 'b1', 'c1', 'c2'], (at) => at > 1 && at < 4)).toEqual(['b1', 'c1']);
    expect(await orderOf(['a1', 'a2'], () => false)).toEqual([]);
  });

  it('are waited for only so long', async () => {
    jest.useFakeTimers();
    const turns = new Turns(1_000);
    await turns.take('a', wanted);
    const late = expect(turns.take('b', wanted)).rejects.toBeInstanceOf(CrowdedOutError);
    await jest.advanceTimersByTimeAsync(999);
    const other = turns.take('b', wanted);
    await jest.advanceTimersByTimeAsync(1);
    await late;
    turns.pass();
    await other;
    expect(jest.getTimerCount()).toBe(0);
  });
});
