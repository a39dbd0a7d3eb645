import { formatHoldings, parseHoldings } from './holdings';

it('reads what was written', () => {
  for (const holdings of [
    new Map(),
    new Map([['3f9c01ab', 4]]),
    new Map([
      ['a', 1],
      ['b', 2],
    ]),
  ]) {
    expect(parseHoldings(formatHoldings(holdings))).toEqual(holdings);
  }
});

it.each([
  ['an acknowledgement of JetStream', '{"stream":"KV_catalog_offers","seq":12}'],
  [
    'an answer of its API',
    '{"type":"io.nats.jetstream.api.v1.stream_names_response","total":7,"limit":1024}',
  ],
  ['a count that is none', '{"a":1,"b":0}'],
  ['a list', '[1]'],
  ['null', 'null'],
  ['no JSON', 'x'],
])('takes %s for nobody’s', (_, text) => {
  expect(parseHoldings(text)).toBeUndefined();
});
