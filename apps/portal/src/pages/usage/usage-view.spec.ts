import { isFiltered, paramsOf, viewFrom } from './usage-view';

const provider = `0x${'ab'.repeat(20)}`;

describe('the address of a view of usage', () => {
  it.each([
    '',
    'range=7d',
    'from=2026-11-01&to=2026-11-21',
    `range=1y&by=provider&model=svc%2Fdemo%401&key=key_1&provider=${provider}&outcome=unserved`,
  ])('"%s" is read and written alike', (query) => {
    expect(paramsOf(viewFrom(new URLSearchParams(query))).toString()).toBe(query);
  });

  it('that makes no sense is a view of everything', () => {
    const nonsense =
      'range=toString&by=constructor&model=<img>&key=a%20b&provider=0x1&outcome=__proto__&from=x&to=y';
    const view = viewFrom(new URLSearchParams(nonsense));
    expect(view).toEqual(viewFrom(new URLSearchParams()));
    expect(isFiltered(view)).toBe(false);
  });

  it('knows addresses however they are written', () => {
    const written = `0x${'AB'.repeat(20)}`;
    expect(viewFrom(new URLSearchParams({ provider: written })).provider).toBe(provider);
  });
});
