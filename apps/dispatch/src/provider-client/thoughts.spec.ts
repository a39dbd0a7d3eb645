import { hasThoughts, withThoughtsAs } from './thoughts';

describe('what a model thought before', () => {
  const user = { role: 'user', content: 'hi' };
  const called = { role: 'assistant', content: null, tool_calls: [{ id: 'a' }, { id: 'b' }] };
  const sealed = { ...called, tool_calls: [{ id: 'a', extra_content: { google: {} } }, { id: 'b' }] };
  const body = { messages: [user, { ...sealed, reasoning_content: 'hm' }], tools: [] };

  it('is found in any message, empty as well, and beside any call', () => {
    expect(hasThoughts(body)).toBe(true);
    expect(hasThoughts({ messages: [user, { ...called, reasoning_content: '' }] })).toBe(true);
    expect(hasThoughts({ messages: [user, sealed] })).toBe(true);
    for (const none of [{}, { messages: [] }, { messages: [user, called, null] }, { messages: 'x' }]) {
      expect(hasThoughts(none)).toBe(false);
    }
  });

  it('goes where a server takes it, and nowhere else', () => {
    const told = (message: object) => ({ ...body, messages: [user, message] });
    expect(withThoughtsAs(body, 'reasoning')).toEqual(told({ ...called, reasoning: 'hm' }));
    expect(withThoughtsAs(body, 'reasoning_content')).toEqual(told({ ...called, reasoning_content: 'hm' }));
    expect(withThoughtsAs(body, 'extra_content')).toEqual(told(sealed));
    expect(withThoughtsAs(body, undefined)).toEqual(told(called));
  });
});
