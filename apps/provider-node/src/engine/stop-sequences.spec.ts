import { cutAtStop } from './stop-sequences';

describe('cutAtStop', () => {
  it.each([
    ['one two three', [], 'one two three'],
    ['one two three', ['two'], 'one '],
    ['one two three', ['three', 'two'], 'one '],
    ['one two three', ['e t'], 'on'],
    ['one two three', ['four'], 'one two three'],
    ['one two three', [''], 'one two three'],
    ['one two three', ['one'], ''],
    ['a\n\nb', ['\n\n'], 'a'],
  ])('cuts %j at %j', (text, stops, kept) => {
    expect(cutAtStop(text, stops)).toBe(kept);
  });
});
