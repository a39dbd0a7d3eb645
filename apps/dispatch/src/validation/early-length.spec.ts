import { InvalidReplyError } from './invalid-reply.error';
import { readPlainReply } from './plain-reply';
import { replyRulesOf } from './reply-rules';
import { replySchemas } from './reply-schemas.for-spec';
import { StreamReply } from './stream-reply';

const schemas = replySchemas();

const MAX_TOKENS = 1_000;
const structured = { response_format: { type: 'json_object' } };
const tools = { tools: [{ type: 'function', function: { name: 'time' } }] };

/** What a provider wrote, and says that it wrote. */
interface Written {
  message: object;
  completionTokens?: number;
  /** Undefined of a model that may think unseen. */
  limitTokens?: number | undefined;
}

const usageOf = (completionTokens: number | undefined) =>
  completionTokens === undefined ? undefined : { prompt_tokens: 9, completion_tokens: completionTokens };

function plain(body: object, { message, completionTokens, ...rules }: Written) {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'length' }];
  const text = JSON.stringify({ choices, usage: usageOf(completionTokens) });
  return readPlainReply(
    text,
    { ...replyRulesOf(body), limitTokens: MAX_TOKENS, ...rules },
    schemas,
    MAX_TOKENS,
  );
}

function streamed(body: object, { message, completionTokens, ...rules }: Written) {
  const reply = new StreamReply(
    { ...replyRulesOf(body), limitTokens: MAX_TOKENS, ...rules },
    schemas,
    undefined,
    MAX_TOKENS,
  );
  const choices = [{ index: 0, delta: message, finish_reason: 'length' }];
  reply.take(JSON.stringify({ choices, usage: usageOf(completionTokens) }));
  return reply.conclude();
}

async function reasonOf(read: () => unknown): Promise<string> {
  try {
    await read();
    return 'valid';
  } catch (error) {
    if (InvalidReplyError.is(error)) return error.reason;
    throw error;
  }
}

const content = (chars: number) => ({ content: `{"a":"${'x'.repeat(chars - 6)}` });
const call = (args: string) => ({
  tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'time', arguments: args } }],
});

describe.each([
  ['plain', plain],
  ['streamed', streamed],
])('a %s reply that says length', (_, read) => {
  it('is no excuse for what is broken far from the limit that was asked', async () => {
    for (const completionTokens of [undefined, 20, MAX_TOKENS]) {
      expect(await reasonOf(() => read(structured, { message: content(80), completionTokens }))).toBe(
        'structured_output',
      );
      expect(await reasonOf(() => read(tools, { message: call('{"a":'), completionTokens }))).toBe(
        'tool_call',
      );
    }
    const required = { ...tools, tool_choice: 'required' };
    expect(await reasonOf(() => read(required, { message: { content: 'Well' } }))).toBe('tool_choice');
    // It was as long as it may be, in bytes; it says itself that it was not.
    expect(await reasonOf(() => read(structured, { message: content(4_000), completionTokens: 100 }))).toBe(
      'structured_output',
    );
  });

  it('is one near it, by its bytes and by what it claims', async () => {
    for (const completionTokens of [undefined, 999]) {
      expect((await read(structured, { message: content(4_000), completionTokens })).finishReason).toBe(
        'length',
      );
      const cut = await read(tools, { message: call(`{"a":"${'x'.repeat(4_000)}`), completionTokens });
      expect(cut).toMatchObject({ finishReason: 'length', toolCalls: [] });
    }
  });

  it('is far from it up to half of it, with what a call has beside its bytes', async () => {
    expect(await reasonOf(() => read(structured, { message: content(450) }))).toBe('structured_output');
    expect(await reasonOf(() => read(structured, { message: content(490) }))).toBe('valid');
    expect(await reasonOf(() => read(tools, { message: call(`{"a":"${'x'.repeat(430)}`) }))).toBe(
      'tool_call',
    );
    expect(await reasonOf(() => read(tools, { message: call(`{"a":"${'x'.repeat(450)}`) }))).toBe('valid');
  });

  it('is one near the end of the context, however far the limit that was asked is', async () => {
    expect(await reasonOf(() => read(structured, { message: content(80), limitTokens: 150 }))).toBe('valid');
    expect(await reasonOf(() => read(structured, { message: content(80), limitTokens: -10 }))).toBe('valid');
  });

  it('is none that is only near it with what nobody sees', async () => {
    const padded = { content: `{"a":"x${'\u200b'.repeat(700)}` };
    expect(await reasonOf(() => read(structured, { message: padded }))).toBe('structured_output');
    const blank = call(`{"a":${' '.repeat(4_000)}`);
    expect(await reasonOf(() => read(tools, { message: blank }))).toBe('tool_call');
  });

  it('is believed of a model that thinks, unseen or shown', async () => {
    expect(await reasonOf(() => read(structured, { message: content(80), limitTokens: undefined }))).toBe(
      'valid',
    );
    const thinking = { ...content(80), reasoning_content: 'hm' };
    expect(await reasonOf(() => read(structured, { message: thinking }))).toBe('valid');
  });

  it('is delivered where nothing is broken, however short', async () => {
    expect(await read({}, { message: { content: 'Well' } })).toMatchObject({
      finishReason: 'length',
      content: 'Well',
    });
    expect((await read(structured, { message: { content: '{}' } })).finishReason).toBe('length');
    expect((await read(tools, { message: call('{}') })).toolCalls).toHaveLength(1);
  });
});
