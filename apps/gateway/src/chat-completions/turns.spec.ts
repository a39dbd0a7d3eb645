import { Turns } from './turns';

describe('Turns', () => {
  it('lets so many work at once, whatever becomes of them, and the others in the order in which they came', async () => {
    const turns = new Turns(2);
    const begun: number[] = [];
    const ends: ((error?: Error) => void)[] = [];
    const works = Array.from({ length: 5 }, (_, n) =>
      turns.take(() => {
        begun.push(n);
        return new Promise<number>((resolve, reject) => {
          ends[n] = (error) => (error ? reject(error) : resolve(n));
        });
      }),
    );
    const outcomes = Promise.allSettled(works);
    const seen: number[][] = [];
    for (let n = 0; n < 5; n++) {
      await new Promise(setImmediate);
      seen.push([...begun]);
      ends[n]?.(n === 1 ? new Error('broken') : undefined);
    }
    expect(seen.map(({ length }) => length)).toEqual([2, 3, 4, 5, 5]);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
    expect((await outcomes).map(({ status }) => status === 'fulfilled')).toEqual([
      true,
      false,
      true,
      true,
      true,
    ]);
    // All places are free again.
    const again = [5, 6, 7].map((n) => turns.take(() => new Promise<void>(() => begun.push(n))));
    expect([again.length, begun.slice(5)]).toEqual([3, [5, 6]]);
  });
});
