import { entityTagOf, isAmongTags } from './entity-tag';

const tag = entityTagOf(Buffer.from('a'));

describe('an entity tag', () => {
  it('is equal for equal bytes only', () => {
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    expect(entityTagOf(Buffer.from('a'))).toBe(tag);
    expect(entityTagOf(Buffer.from('b'))).not.toBe(tag);
  });

  it.each([
    [tag, true],
    [`W/${tag}`, true],
    [`"x", W/${tag} , "y"`, true],
    ['*', true],
    [' * ', true],
    ['"x"', false],
    [tag.slice(0, -1), false],
    [tag.slice(1, -1), false],
    [`${tag.slice(0, -1)}-gzip"`, false],
    ['', false],
    [undefined, false],
  ])('is found among %s: %s', (header, found) => {
    expect(isAmongTags(header, tag)).toBe(found);
  });
});
