import { generate } from './demo-engine';
import type { EngineEvent, EngineRequest } from './engine-request';
import { requestOf, textOf, tool } from './engine-requests.for-spec';
import { countTokens } from './tokenizer';

const answer = (prompt: string, rest: Partial<EngineRequest> = {}) =>
  textOf(generate(requestOf(prompt, rest)).events);

function callsOf(events: readonly EngineEvent[]): { id: string; name: string; arguments: string }[] {
  return events
    .filter((event) => event.kind === 'tool-call')
    .map(({ index, id, name }) => ({
      id,
      name,
      arguments: events
        .map((event) => (event.kind === 'arguments' && event.index === index ? event.fragment : ''))
        .join(''),
    }));
}

describe('text answers', () => {
  const question = 'Why do rivers bend?';

  it('are the same for the same request, and others for another seed', () => {
    expect(answer(question)).toBe(answer(question));
    expect(answer(question, { sampling: { seed: 1 } })).not.toBe(answer(question, { sampling: { seed: 2 } }));
  });

  it('say that they are simulated and speak of the prompt', () => {
    expect(answer(question)).toMatch(/^Simulated reply: /);
    expect(answer(question)).toMatch(/rivers/);
  });

  it.each([
    ['Say "banana bread".', 'Simulated reply: banana bread'],
    ['Reply with exactly OK.', 'Simulated reply: OK'],
    ['Count from 3 to 6, please', 'Simulated reply: 3, 4, 5, 6'],
    ['What is 12 * 3?', 'Simulated reply: 12 * 3 = 36'],
    ['0.1 + 0.2 =', 'Simulated reply: 0.1 + 0.2 = 0.3'],
  ])('do what is plainly asked: %s', (prompt, expected) => {
    expect(answer(prompt)).toBe(expected);
  });

  it('come to the length that is asked for, within bounds', () => {
    expect(answer('Write 300 words on tea').split(/\s+/).length).toBeGreaterThan(290);
    expect(answer('Write 99999 words on tea').split(/\s+/).length).toBeLessThan(4_100);
    expect(answer('Count from 1 to 999999').split(', ')).toHaveLength(1_000);
  });

  it('end at max_tokens with the beginning of the same text', () => {
    const whole = answer(question);
    const cut = generate(requestOf(question, { maxTokens: 7 }));
    expect(cut.finishReason).toBe('length');
    expect(cut.usage.completionTokens).toBe(7);
    expect(whole.startsWith(textOf(cut.events))).toBe(true);
    const tokens = generate(requestOf(question)).usage.completionTokens;
    expect(generate(requestOf(question, { maxTokens: tokens })).finishReason).toBe('stop');
  });

  it('end before a stop sequence, also one across tokens', () => {
    const stopped = generate(requestOf('Count from 1 to 9', { stop: ['4, 5', '9'] }));
    expect(textOf(stopped.events)).toBe('Simulated reply: 1, 2, 3, ');
    expect(stopped.finishReason).toBe('stop');
  });

  it('are cut by length where max_tokens comes before the stop sequence', () => {
    const cut = generate(requestOf('Count from 1 to 9', { stop: ['9'], maxTokens: 5 }));
    expect(cut.finishReason).toBe('length');
  });

  it.each(['', '?', '你好', '\u0000', 'x'.repeat(50_000)])('exist for any prompt', (prompt) => {
    expect(answer(prompt)).toMatch(/^Simulated reply: ./);
  });
});

describe('usage', () => {
  it('counts what was said and what came out', () => {
    const { events, usage } = generate(requestOf('Hello there'));
    expect(usage.completionTokens).toBe(countTokens(textOf(events)));
    expect(usage.promptTokens).toBe(countTokens('Hello there') + 4 + 3);
  });

  it('counts tools and schemas into the prompt', () => {
    const plain = generate(requestOf('Hello there')).usage.promptTokens;
    const tools = [tool('get_weather', 'Get the weather')];
    expect(generate(requestOf('Hello there', { tools })).usage.promptTokens).toBeGreaterThan(plain + 10);
  });
});

describe('tool calls', () => {
  const tools = [tool('get_weather', 'Get the weather of a place')];

  it('are made with arguments from the prompt', () => {
    const { events, finishReason } = generate(requestOf('What is the weather in Paris?', { tools }));
    expect(finishReason).toBe('tool_calls');
    expect(callsOf(events)).toEqual([
      {
        id: expect.stringMatching(/^call_[\da-f]{24}$/) as string,
        name: 'get_weather',
        arguments: '{"place":"Paris"}',
      },
    ]);
  });

  it('are parallel for several places, each with an id of its own', () => {
    const calls = callsOf(generate(requestOf('The weather in Paris and Rome?', { tools })).events);
    expect(calls.map((call) => call.arguments)).toEqual(['{"place":"Paris"}', '{"place":"Rome"}']);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });

  it('are not made twice with the same arguments', () => {
    const clock = [{ name: 'get_time', description: 'The time' }];
    const calls = callsOf(generate(requestOf('The time in Paris and Rome?', { tools: clock })).events);
    expect(calls.map((call) => call.arguments)).toEqual(['{}']);
  });

  it('end at max_tokens like text does', () => {
    const cut = generate(requestOf('The weather in Paris?', { tools, maxTokens: 3 }));
    expect(cut.finishReason).toBe('length');
    expect(cut.events).toHaveLength(3);
  });

  it('are followed by an answer from the result', () => {
    const messages: EngineRequest['messages'] = [
      { role: 'user', content: 'What is the weather in Paris?' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: '{}' }] },
      { role: 'tool', content: '{"celsius": 21, "sky": "clear"}', toolCallId: 'call_1' },
    ];
    const { events, finishReason } = generate(requestOf('', { tools, messages }));
    expect(finishReason).toBe('stop');
    expect(textOf(events)).toMatch(/^Simulated reply: .*get_weather, celsius is 21 and sky is clear\./);
    const plain = messages.with(-1, { role: 'tool', content: 'No data', toolCallId: 'call_1' });
    expect(answer('', { tools, messages: plain })).toMatch(/No data/);
  });
});

describe('structured answers', () => {
  it('are an object that says it is simulated', () => {
    const document: unknown = JSON.parse(answer('Rivers?', { responseFormat: { type: 'json_object' } }));
    expect(document).toMatchObject({ simulated: true, topics: ['Rivers'] });
  });

  it('satisfy the schema', () => {
    const schema = {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer' } },
      required: ['name', 'age'],
    };
    const document: unknown = JSON.parse(
      answer('A person named Ada, aged 36', { responseFormat: { type: 'json_schema', schema } }),
    );
    expect(document).toEqual({ name: 'Ada', age: 36 });
  });
});
