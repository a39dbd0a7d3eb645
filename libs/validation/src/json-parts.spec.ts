import { jsonPartsOf } from './json-parts';

describe('jsonPartsOf', () => {
  it.each([
    ['', 0],
    ['"a"', 0],
    ['[]', 1],
    ['[0,1,2]', 3],
    ['[[],[]]', 4],
    ['{"a":1,"b":{"c":[]}}', 7],
    ['["[{,:","\\"[,","\\\\",[]]', 5],
    ['{"[\\\\\\"{":"я,"}', 2],
  ])('counts values and names, not what stands in texts: %s', (text, parts) => {
    expect(jsonPartsOf(text, { parts: 10 })).toBe(parts);
    expect(jsonPartsOf(text, { parts })).toBe(parts);
    if (parts > 0) expect(jsonPartsOf(text, { parts: parts - 1 })).toBe(Infinity);
  });

  it.each(['\\"', '\\\\', '\\\\\\"', '\\u0022', ':\\n,'])(
    'finds the end of texts of any length: …%s…',
    (escape) => {
      for (let length = 0; length < 100; length++) {
        const text = `"${'x'.repeat(length)}${escape}${'['.repeat(length % 7)}${escape}"`;
        expect(typeof JSON.parse(text)).toBe('string');
        expect(jsonPartsOf(`[${text},${text},[]]`, { parts: 10 })).toBe(4);
      }
    },
  );

  it('says when a document is too deep', () => {
    const bounds = { parts: 100, depth: 3 };
    expect(jsonPartsOf('[[[]],[[]],{"a":{"b":0}}]', bounds)).toBeLessThan(100);
    expect(jsonPartsOf('[[{"a":[]}]]', bounds)).toBe(Infinity);
  });

  it.each(['"', '"\\', '"[[[', `"${'\\'.repeat(9)}`, '}]}]'])('takes what is no JSON: %s', (text) => {
    expect(jsonPartsOf(text, { parts: 10 })).toBe(0);
  });
});
