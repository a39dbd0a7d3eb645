import { hasThoughts, withThoughtsAs } from './thoughts';

describe('what a model thought before', () => {
  const user = { role: 'user', content: 'hi' };
  const call = { role: 'assistant', content: null, tool_calls: [{ id: 'a' }] };
  const body = { messages: [user, { ...call, reasoning_content: 'hm' }], tools: [] };

  it('is found in any message, empty as well', () => {
    expect(hasThoughts(body)).toBe(true);
    expect(hasThoughts({ messages: [{ ...call, reasoning_content: '' }] })).toBe(true);
    for (const none of [{}, { messages: [] }, { messages: [user, call, null] }, { messages: 'x' }]) {
      expect(hasThoughts(none)).toBe(false);
    }
  });

  it('goes under the name that a server takes, and nowhere where it takes none', () => {
    expect(withThoughtsAs(body, 'reasoning')).toEqual({
      ...body,
      messages: [user, { ...call, reasoning: 'hm' }],
    });
    expect(withThoughtsAs(body, 'reasoning_content')).toEqual(body);
    expect(withThoughtsAs(body, undefined)).toEqual({ ...body, messages: [user, call] });
  });
});
