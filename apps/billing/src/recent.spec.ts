import { Recent } from './recent';

describe('Recent', () => {
  it('makes a value once for all who ask, and again when it was not asked for in a while', async () => {
    const recent = new Recent<string>(2);
    const made: string[] = [];
    const get = (key: string) =>
      recent.get(key, () => {
        made.push(key);
        return Promise.resolve(key);
      });
    expect(await Promise.all([get('a'), get('a'), get('b'), get('a')])).toEqual(['a', 'a', 'b', 'a']);
    expect(made).toEqual(['a', 'b']);
    await get('c');
    await get('a');
    expect(made).toEqual(['a', 'b', 'c']);
    await get('b');
    expect(made).toEqual(['a', 'b', 'c', 'b']);
  });

  it('does not keep what failed', async () => {
    const recent = new Recent<number>(2);
    await expect(recent.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await recent.get('a', () => Promise.resolve(1))).toBe(1);
  });
});
