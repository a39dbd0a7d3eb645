import { chosenKeys, paramsOf, searchFrom, searchable } from './key-search';
import type { KeySearch } from './key-search';
import type { WalletKey } from './keys';

describe('the address of a list of keys', () => {
  it.each(['', 'q=web+site', 'q=a&show=revoked&page=3', 'show=all'])(
    '"%s" is read and written alike',
    (query) => {
      expect(paramsOf(searchFrom(new URLSearchParams(query))).toString()).toBe(query);
    },
  );

  it('that makes no sense is the first page of those that may work', () => {
    for (const page of ['0', '-1', '1.5', '99999', 'x'])
      expect(searchFrom(new URLSearchParams(`show=none&page=${page}`))).toEqual({
        ...{ text: '', filter: 'working', page: 1 },
      });
  });

  it('never holds a value', () => {
    const value = `svc_test_${'a1B2'.repeat(12)}z`;
    expect(searchable(` ${value} `)).toBe(' 1B2z ');
    expect(searchFrom(new URLSearchParams({ q: value })).text).toBe('1B2z');
    expect(searchable('svc_test_worker')).toBe('svc_test_worker');
  });
});

describe('a search among keys', () => {
  const key = (id: string, name: string, last_four: string, state = 'active') =>
    ({ id, name, last_four, state }) as WalletKey;
  const keys = [
    key('key_1', 'Nightly job', 'abcd'),
    key('key_2', 'Website, nightly build', 'EFgh', 'disabled'),
    key('key_3', 'Old website', 'ijkl', 'revoked'),
  ];
  const found = (text: string, filter: KeySearch['filter'] = 'all') =>
    chosenKeys(keys, { text, filter, page: 1 }).map(({ id }) => id);

  it.each([
    ['', ['key_1', 'key_2', 'key_3']],
    ['  ', ['key_1', 'key_2', 'key_3']],
    ['NIGHT', ['key_1', 'key_2']],
    ['night web', ['key_2']],
    ['efgh', ['key_2']],
    ['…efgh', ['key_2']],
    // An end is known whole: parts of it would be found by chance.
    ['efg', []],
    ['key_1', ['key_1']],
    ['nothing', []],
  ])('for "%s" finds %j', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it('looks among those of a kind', () => {
    expect(found('website', 'working')).toEqual(['key_2']);
    expect(found('website', 'revoked')).toEqual(['key_3']);
  });
});
