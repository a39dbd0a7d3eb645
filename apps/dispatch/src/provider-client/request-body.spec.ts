import fc from 'fast-check';
import { rawBodyOf } from '../run/raw-body';
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

  it('is what the client asked, whatever that holds and wherever its text is taken from', () => {
    const odd = fc.constantFrom(',"body":', '"}', '{}', '__proto__', 'constructor', '\u2028', '\ud83d\ude42');
    const long = fc.constant('x'.repeat(5_000));
    const json = fc.jsonValue({ stringUnit: fc.oneof(odd, fc.string({ maxLength: 3 })), maxDepth: 3 });
    const texts = fc.oneof(odd, long, fc.string());
    const fields = fc.array(fc.tuple(fc.oneof(odd, fc.constantFrom('tools', 'stop', 'seed')), json));
    const property = fc.property(texts, fields, fc.boolean(), (content, members, stream) => {
      const messages = JSON.stringify([{ role: 'user', content }]);
      const others = members.map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
      const body = `{"messages":${messages}${others.join('')}}`;
      const message = `{"model":",\\"body\\":","hold":{"body":1},"body":${body}}`;
      const parsed = JSON.parse(message) as { body: object };
      const asked = requestBody({
        ...parts,
        stream,
        fields: clientFields(parsed.body, rawBodyOf(message, parsed)),
      });
      const own = { model: 'up"stream', max_tokens: 77, ...streamFields(stream) };
      expect(JSON.stringify(JSON.parse(asked))).toBe(JSON.stringify(JSON.parse(joined(own, body))));
    });
    fc.assert(property, { seed: 7 });
  });
});

function streamFields(stream: boolean): object {
  return stream ? { stream, stream_options: { include_usage: true } } : { stream };
}

function joined(own: object, body: string): string {
  return `${JSON.stringify(own).slice(0, -1)},${body.slice(1)}`;
}
