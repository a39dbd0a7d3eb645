import { CapacityTurns } from './capacity-turns';
import { Places } from './places';

/** Work that ends when told, and how much of it was under way at once. */
function workload() {
  const ends: (() => void)[] = [];
  let underWay = 0;
  return {
    ends,
    peak: 0,
    async work() {
      this.peak = Math.max(this.peak, ++underWay);
      await new Promise<void>((resolve) => ends.push(resolve));
      underWay--;
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('CapacityTurns', () => {
  it('has offers at one server take turns, and those at others not wait', async () => {
    const turns = new CapacityTurns();
    const [one, other] = [workload(), workload()];
    const done = [
      turns.take('http://one.example/v1', () => one.work()),
      turns.take('http://one.example/other/v1', () => one.work()),
      turns.take('http://one.example:81/v1', () => other.work()),
    ];
    await settled();
    expect([one.ends.length, other.ends.length]).toEqual([1, 1]);
    other.ends[0]?.();
    one.ends[0]?.();
    await settled();
    one.ends[1]?.();
    await Promise.all(done);
    expect(one.peak).toBe(1);
  });

  it('goes on after work that failed', async () => {
    const turns = new CapacityTurns();
    await expect(turns.take('http://one.example', () => Promise.reject(new Error('no')))).rejects.toThrow(
      'no',
    );
    await expect(turns.take('http://one.example', () => Promise.resolve(1))).resolves.toBe(1);
  });
});

describe('Places', () => {
  it('lets in as many as there are, and more when there are more', async () => {
    const places = new Places(1);
    const load = workload();
    const done = [1, 2, 3].map(() => places.take(() => load.work()));
    await settled();
    expect(load.ends).toHaveLength(1);
    places.resize(3);
    await settled();
    expect([load.ends.length, load.peak]).toEqual([3, 3]);
    load.ends.forEach((end) => end());
    await Promise.all(done);
  });
});
