import { BoundedMap } from './bounded-map';

describe('BoundedMap', () => {
  it('forgets what was set longest ago, and no more than it must', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1).set('b', 2);
    expect([...map]).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    map.set('a', 3).set('c', 4);
    expect([...map]).toEqual([
      ['a', 3],
      ['c', 4],
    ]);
    map.delete('a');
    map.set('d', 5);
    expect([...map.keys()]).toEqual(['c', 'd']);
  });
});
