import { clientFields, requestBody } from './request-body';

describe('what a provider is sent', () => {
  const parts = { upstreamModel: 'up"stream', maxTokens: 77 };

  it('names the upstream model and bounds the output, always', () => {
    const fields = clientFields({
      messages: [{ role: 'user', content: 'hi' }],
      model: 'svc/x@1',
      stream: true,
      max_tokens: 5,
      max_completion_tokens: 5,
      stream_options: { include_usage: false },
    });
    expect(JSON.parse(requestBody({ ...parts, fields, stream: false }))).toEqual({
      model: 'up"stream',
      max_tokens: 77,
      stream: false,
      messages: [{ role: 'user', content: 'hi' }],
    });
  });

  it('bounds the output by the name that the server takes', () => {
    const fields = clientFields({ max_tokens: 5 });
    const asked = requestBody({ ...parts, fields, stream: false, outputLimitField: 'max_completion_tokens' });
    expect(JSON.parse(asked)).toEqual({ model: 'up"stream', max_completion_tokens: 77, stream: false });
  });

  it('takes over the body as it stands, unless it holds what dispatch decides', () => {
    const raw = '{"messages": []}';
    expect(clientFields({ messages: [] }, raw)).toBe(raw);
    expect(clientFields({ messages: [], stream: true }, raw)).toBe('{"messages":[]}');
  });

  it('asks for usage of every stream', () => {
    expect(JSON.parse(requestBody({ ...parts, fields: clientFields({}), stream: true }))).toEqual({
      model: 'up"stream',
      max_tokens: 77,
      stream: true,
      stream_options: { include_usage: true },
    });
  });
});
