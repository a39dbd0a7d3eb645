import { Turns } from './turns';

describe('Turns', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Work that goes on until it is ended. */
  function works() {
    const begun: number[] = [];
    const ends: ((error?: Error) => void)[] = [];
    const work = (n: number) => () => {
      begun.push(n);
      return new Promise<number>((resolve, reject) => {
        ends[n] = (error) => (error ? reject(error) : resolve(n));
      });
    };
    return { begun, work, end: (n: number, error?: Error) => ends[n]?.(error) };
  }

  it('lets so many work at once, whatever becomes of them, and the others in the order in which they came', async () => {
    const turns = new Turns(2, 60_000);
    const { begun, work, end } = works();
    const outcomes = Promise.allSettled([0, 1, 2, 3, 4].map((n) => turns.take(work(n))));
    const counts: number[] = [];
    for (let n = 0; n < 5; n++) {
      await new Promise(setImmediate);
      counts.push(begun.length);
      end(n, n === 1 ? new Error('broken') : undefined);
    }
    expect([counts, begun]).toEqual([
      [2, 3, 4, 5, 5],
      [0, 1, 2, 3, 4],
    ]);
    const fulfilled = (await outcomes).map((outcome) => outcome.status === 'fulfilled' && outcome.value);
    expect(fulfilled).toEqual([{ done: 0 }, false, { done: 2 }, { done: 3 }, { done: 4 }]);
    // All places are free again.
    const again = [5, 6].map((n) => turns.take(work(n)));
    expect([again.length, begun.slice(5)]).toEqual([2, [5, 6]]);
    for (const n of [5, 6]) end(n);
    await Promise.all(again);
  });

  it('has nobody wait for longer than told, who then begins nothing and holds up nobody', async () => {
    jest.useFakeTimers();
    const turns = new Turns(1, 1_000);
    const { begun, work, end } = works();
    const first = turns.take(work(0));
    const late = turns.take(work(1));
    await jest.advanceTimersByTimeAsync(500);
    const last = turns.take(work(2));
    await jest.advanceTimersByTimeAsync(500);
    await expect(late).resolves.toBeUndefined();
    end(0);
    await expect(first).resolves.toEqual({ done: 0 });
    expect(begun).toEqual([0, 2]);
    end(2);
    await expect(last).resolves.toEqual({ done: 2 });
  });
});
