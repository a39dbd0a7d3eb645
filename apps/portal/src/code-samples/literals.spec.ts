import { execFileSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import { pythonLiteral, scriptLiteral, shellWord } from './literals';
import type { Json } from './literals';

const NASTY = `It's "quoted" \\ $HOME \`id\` ${'${x}'} <b> \n\t\u2028 é漢🙂 \0`;
const value: Json = {
  text: NASTY,
  short: 'plain',
  'needs-quotes': [1, -2.5, true, false, null],
  empty: { list: [], map: {} },
  long: ['a long enough text to break the line', 'a long enough text to break the line', { deep: [1] }],
};

describe('literals', () => {
  it('mean the same in JavaScript', () => {
    expect(JSON.parse(JSON.stringify(runInNewContext(`(${scriptLiteral(value)})`)))).toEqual(value);
    const own = scriptLiteral(JSON.parse('{"__proto__":{"x":1}}') as Json);
    expect(Object.keys(runInNewContext(`(${own})`) as object)).toEqual(['__proto__']);
  });

  it('are written as people write them', () => {
    expect(scriptLiteral({ role: 'user', 'x-y': "it's", on: true })).toBe(
      `{ role: 'user', 'x-y': "it's", on: true }`,
    );
    expect(scriptLiteral(value)).toContain('\n  long: [\n    ');
  });

  it('have the words of Python', () => {
    expect(pythonLiteral({ a: [true, false, null, 1.5], b: 'it"s' })).toBe(
      '{"a": [True, False, None, 1.5], "b": "it\\"s"}',
    );
  });

  it('are one word of a shell', () => {
    const text = NASTY.replace('\0', '');
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
  });
});
