import { formatHoldings, isSame, parseHoldings, totalOf, withCount } from './holdings';

describe('holdings', () => {
  it('are read as they were written', () => {
    const holdings = new Map([
      ['3f9c01ab', 1],
      ['b', 2],
    ]);
    expect(parseHoldings(formatHoldings(holdings))).toEqual(holdings);
    expect(parseHoldings(formatHoldings(new Map()))).toEqual(new Map());
    expect(totalOf(holdings)).toBe(3);
  });

  it('are the same text for every version', () => {
    const text = '{"3f9c01ab":1,"b":2}';
    expect(formatHoldings(new Map(Object.entries({ '3f9c01ab': 1, b: 2 })))).toBe(text);
    expect(parseHoldings(text)).toEqual(new Map(Object.entries({ '3f9c01ab': 1, b: 2 })));
    expect(parseHoldings('{}')).toEqual(new Map());
  });

  it.each([
    // Acknowledgements and answers of JetStream, which writes them wherever it is asked to.
    '{"stream":"KV_catalog_offers","seq":12}',
    '{"type":"io.nats.jetstream.api.v1.stream_names_response","total":7,"limit":1024}',
    ...['', '{', 'null', '1', '"text"', '[]', '[1]'],
    ...['0', '-1', '1.5', '"1"', 'null', '1e300'].map((noCount) => `{"a":1,"b":${noCount}}`),
  ])('are not taken from %j', (text) => {
    expect(parseHoldings(text)).toBeUndefined();
  });

  it('have nobody in them who holds none', () => {
    const one = new Map([['a', 1]]);
    expect(withCount(one, 'a', 0)).toEqual(new Map());
    expect(withCount(one, 'b', 0)).toEqual(one);
  });

  it('are the same for the same counts, whoever comes first', () => {
    const [a, b] = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ].map((each) => new Map(Object.entries(each))) as [Map<string, number>, Map<string, number>];
    expect(isSame(a, b)).toBe(true);
    expect(isSame(a, withCount(a, 'a', 2))).toBe(false);
    expect(isSame(a, withCount(a, 'c', 1))).toBe(false);
  });
});
