import { setFlagsFromString, getHeapSpaceStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { TransientMap } from './transient-map';

/** Runs a minor or a major collection. */
function collector(): (options?: { type: 'minor' }) => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as (options?: { type: 'minor' }) => void;
}

describe('TransientMap', () => {
  it('keeps values under keys, undefined ones too', () => {
    const map = new TransientMap<string, number | undefined>();
    map.set('a', 1);
    map.set('b', undefined);
    map.set('a', 2);
    expect([map.size, map.get('a'), map.get('b'), map.has('b'), map.has('c')]).toEqual([
      2,
      2,
      undefined,
      true,
      false,
    ]);
    expect([map.delete('a'), map.delete('a'), map.get('a'), map.size]).toEqual([true, false, undefined, 1]);
  });

  it('goes through its entries in their order, also while they are deleted', () => {
    const map = new TransientMap<number, string>();
    for (const [key, value] of [...'abcd'].entries()) map.set(key, value);
    const seen: string[] = [];
    for (const [key, value] of map.entries()) {
      seen.push(value);
      map.delete(key);
      map.delete(2);
    }
    expect(seen).toEqual(['a', 'b', 'd']);
    map.set(9, 'z');
    expect([...map.values()]).toEqual(['z']);
  });

  it('leads to nothing that was deleted, even from its old tables', () => {
    const gc = collector();
    const survivorsOf = (map: TransientMap<number, object>) => {
      // The first table that is left behind is an old one, from before.
      for (let key = 0; key < 64; key++) map.set(key, {});
      gc();
      const before = oldBytes();
      for (let key = 64; key < 20_064; key++) {
        map.set(
          key,
          Array.from({ length: 32 }, () => ({})),
        );
        map.delete(key - 64);
        if (key % 500 === 0) gc({ type: 'minor' });
      }
      return oldBytes() - before;
    };
    // 20,000 entries of some 2 kB each have come and gone: a Map keeps nearly all of them.
    expect(survivorsOf(new TransientMap())).toBeLessThan(4 * 1024 * 1024);
  });
});

function oldBytes(): number {
  const spaces = getHeapSpaceStatistics();
  return spaces.find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0;
}
