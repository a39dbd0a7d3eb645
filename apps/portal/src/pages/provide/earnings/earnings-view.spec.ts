import { paramsOf, viewFrom } from './earnings-view';

describe('the address of the earnings', () => {
  it.each(['', 'days=7', 'days=90&page=3', 'page=2'])('"%s" is read and written alike', (query) => {
    expect(paramsOf(viewFrom(new URLSearchParams(query))).toString()).toBe(query);
  });

  it.each(['page=0', 'page=-1', 'page=1.5', 'page=99999', 'page=x', 'days=0', 'days=8', 'days=x&page='])(
    'that makes no sense is the first page of 30 days: "%s"',
    (query) => {
      expect(viewFrom(new URLSearchParams(query))).toEqual({ days: 30, page: 1 });
    },
  );
});
