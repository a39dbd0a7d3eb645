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
