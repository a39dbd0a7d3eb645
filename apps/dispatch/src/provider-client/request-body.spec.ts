import { endpointOf } from './endpoint';
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

describe('endpointOf', () => {
  it.each([
    ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080', '/v1/chat/completions'],
    ['https://p.example/api/v1/', 'https://p.example', '/api/v1/chat/completions'],
    ['https://p.example', 'https://p.example', '/chat/completions'],
    ['http://0x7f.1/v1', 'http://127.0.0.1', '/v1/chat/completions'],
  ])('%s', (baseUrl, origin, path) => {
    expect(endpointOf(baseUrl)).toEqual({ origin, path });
  });

  it.each(['ftp://p.example/v1', 'http://user:pass@p.example/v1', 'p.example', 'http://'])(
    'refuses %s',
    (baseUrl) => {
      expect(endpointOf(baseUrl)).toBeUndefined();
    },
  );
});
