import { pageStart, pagingOf } from './offers-paging';

describe('the pages of offers', () => {
  it.each([
    [25, 60, 25],
    [25, 26, 25],
    [25, 25, 0],
    [50, 20, 0],
    [75, 60, 50],
    [25, 0, 0],
  ])('from %i of %i on: that from %i', (offset, all, start) => {
    expect(pageStart(offset, all)).toBe(start);
  });

  it('say which offers they show, and lead to those beside them', () => {
    const go = jest.fn();
    const { label, previous, next } = pagingOf(25, 1_060, go);
    expect(label).toBe('26–50 of 1,060');
    previous?.();
    next?.();
    expect(go.mock.calls).toEqual([[0], [50]]);
    expect(pagingOf(0, 25, go)).toEqual({ previous: undefined, next: undefined, label: undefined });
  });
});
