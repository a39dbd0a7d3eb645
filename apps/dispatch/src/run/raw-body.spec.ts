import { rawBodyOf } from './raw-body';

const long = 'x "quoted" \\ é漢🙂 ,"body":{} '.repeat(400);
const find = (text: string) => rawBodyOf(text, JSON.parse(text) as object);

describe('rawBodyOf', () => {
  it('finds the body as it stands in the message', () => {
    const body = { messages: [{ role: 'user', content: long }], nested: { body: { body: 1 } } };
    const compact = JSON.stringify({ requestId: 'r', hold: { a: [{}] }, note: ',"body":{', body });
    expect(find(compact)).toBe(JSON.stringify(body));
    expect(find(`${compact.slice(0, -1)} \n} `)).toBe(JSON.stringify(body));
  });

  it.each([
    ['is short', JSON.stringify({ requestId: 'r', body: {} })],
    ['is not last', JSON.stringify({ requestId: 'r', body: {}, note: long })],
    ['is first', JSON.stringify({ body: { long } })],
    ['has a namesake further in', JSON.stringify({ hold: { a: 1, body: 2 }, body: { long } })],
    ['is given twice', `{"a":1,"body":{"long":${JSON.stringify(long)}},"b":2,"body":{}}`],
    ['is written with spaces', JSON.stringify({ a: 1, body: { long } }, null, 1)],
  ])('does not where it %s', (_, text) => {
    expect(find(text)).toBeUndefined();
  });
});
