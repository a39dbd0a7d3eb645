import { jsonPartsOf } from '@svc/validation';
import { MAX_JSON_PARTS } from './json-limit';
import { parseChatCompletionRequest } from './parse-chat-completion';

const called = { name: 'look_up', arguments: '{"city":"Paris"}' };
const call = { id: 'call_1', type: 'function', function: called };
const calling = { role: 'assistant', content: null, tool_calls: [call] };
const answering = { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'Rain.' }] };
const asking = { role: 'user', content: ['A', 'B'].map((text) => ({ type: 'text', text })) };

const repeated = <T>(times: number, each: (index: number) => T) =>
  Array.from({ length: times }, (_, index) => each(index));
const toolWith = (parameters: object, index: number) => ({
  type: 'function',
  function: { name: `tool_${index}`, description: 'A tool.', parameters },
});
/** 128 KiB, and 4 KiB. */
const countries = { enum: repeated(26_000, (index) => String.fromCharCode(97 + (index % 26)).repeat(2)) };
const fields = {
  type: 'object',
  properties: Object.fromEntries(
    repeated(95, (index) => [`field_${index}`, { type: 'string', maxLength: 9 }]),
  ),
};

describe('the limit on JSON values and names', () => {
  it.each([
    ['many small tools', repeated(120, (index) => toolWith(fields, index))],
    ['the largest schemas', repeated(3, (index) => toolWith(countries, index))],
  ])('lets 10,000 messages with calls and parts through, with %s', (_, tools) => {
    for (const pair of [
      [calling, answering],
      [asking, asking],
    ]) {
      const request = { model: 'svc/demo@1', messages: repeated(5_000, () => pair).flat(), tools };
      expect(JSON.stringify(tools).length).toBeGreaterThan(380 * 1024);
      expect(parseChatCompletionRequest(request)).toMatchObject({ ok: true });
      expect(jsonPartsOf(JSON.stringify(request), { parts: MAX_JSON_PARTS })).toBeLessThan(Infinity);
    }
  });
});

describe('the same limit on the arguments of all calls together', () => {
  const requestWith = (texts: string[]) => ({
    model: 'svc/demo@1',
    messages: texts.map((text) => ({
      ...calling,
      tool_calls: [call, { ...call, function: { ...called, arguments: text } }],
    })),
  });
  const list = (values: number) => `{"list":[${'0,'.repeat(values - 1)}0]}`;

  it.each([
    ['one long call', [list(MAX_JSON_PARTS - 10)]],
    ['several', [list(100_000), '{}', list(100_000)]],
    ['long texts', Array.from({ length: 4 }, () => JSON.stringify({ text: '[,'.repeat(100_000) }))],
    ['none', ['', ' '.repeat(MAX_JSON_PARTS * 2)]],
  ])('lets through %s', (_, texts) => {
    expect(parseChatCompletionRequest(requestWith(texts))).toMatchObject({ ok: true });
  });

  it.each([
    ['one call', [list(MAX_JSON_PARTS + 1)]],
    ['one that is no JSON', ['['.repeat(MAX_JSON_PARTS + 1)]],
    ['several', [list(100_000), list(100_000), list(100_000)]],
    ['several behind texts', Array.from({ length: 3 }, () => `{"\\"[":${list(90_000)}}`)],
  ])('refuses %s', (_, texts) => {
    const path = `messages[${texts.length - 1}].tool_calls[1].function.arguments`;
    const message = `must not hold, with the calls before, more than ${MAX_JSON_PARTS} JSON values and names of fields`;
    expect(parseChatCompletionRequest(requestWith(texts))).toEqual({ ok: false, problem: { path, message } });
  });
});
