import { readPlainReply } from './plain-reply';
import { replyRulesOf } from './reply-rules';
import { replySchemas } from './reply-schemas.for-spec';
import { StreamReply } from './stream-reply';
import type { ReplyLack } from './whole-reply';

const schemas = replySchemas();
const MAX_TOKENS = 1_000;
const UNSEEN = ' \n\u200b\u00ad\u3000\u2800\ufe0f\u{e0041}';
const tools = { tools: [{ type: 'function', function: { name: 'time' } }] };
const structured = { response_format: { type: 'json_object' } };
const called = (args: string) => ({
  tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'time', arguments: args } }],
});

interface Said {
  message: object;
  finish?: string;
  body?: object;
  /** Undefined of a model that may think unseen. */
  limitTokens?: number | undefined;
}

const rulesOf = ({ body = {}, ...rules }: Said) => ({
  ...replyRulesOf(body),
  limitTokens: MAX_TOKENS,
  ...('limitTokens' in rules && { limitTokens: rules.limitTokens }),
});

async function plain(said: Said): Promise<ReplyLack | undefined> {
  const message = { role: 'assistant', ...said.message };
  const text = JSON.stringify({ choices: [{ index: 0, message, finish_reason: said.finish ?? 'stop' }] });
  return (await readPlainReply(text, rulesOf(said), schemas, MAX_TOKENS)).lack;
}

/** @returns what it lacks, and what left before its end */
async function streamed(said: Said): Promise<{ lack: ReplyLack | undefined; left: string[] }> {
  const left: string[] = [];
  const rules = rulesOf(said);
  const sink = rules.holdContent ? undefined : { delta: (field: string) => void left.push(field) };
  const reply = new StreamReply(rules, schemas, sink, MAX_TOKENS);
  for (const delta of [{ role: 'assistant', content: '' }, said.message])
    reply.take(JSON.stringify({ choices: [{ index: 0, delta }] }));
  reply.take(JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: said.finish ?? 'stop' }] }));
  return { lack: (await reply.conclude()).lack, left };
}

describe('a reply without words', () => {
  it.each<[string, Said]>([
    ['nothing at all', { message: {} }],
    ['an empty text', { message: { content: '' } }],
    ['nothing but what nobody sees', { message: { content: UNSEEN } }],
    ['thoughts and a refusal that nobody sees', { message: { reasoning_content: '\n\n', refusal: ' ' } }],
    ['nothing, where tools were offered', { message: { content: '' }, body: tools }],
    ['nothing, far from the limit that it names', { message: { content: '' }, finish: 'length' }],
    ['nothing, at a high temperature', { message: {}, body: { temperature: 2 } }],
  ])('is one that says %s, of which nothing leaves before its end', async (_, said) => {
    expect(await plain(said)).toBe('wordless');
    expect(await streamed(said)).toEqual({ lack: 'wordless', left: [] });
  });

  it.each<[string, Said]>([
    ['a word', { message: { content: ' \nx' } }],
    ['a refusal', { message: { refusal: 'No.' } }],
    ['a thought', { message: { reasoning_content: 'Hm.', content: '' } }],
    ['a call', { message: called('{}'), body: tools }],
    ['nothing, where a stop sequence may have ended it', { message: {}, body: { stop: ['\n'] } }],
    ['nothing at a limit that is near', { message: {}, finish: 'length', limitTokens: 20 }],
    ['nothing at a limit, of a model that thinks', { message: {}, finish: 'length', limitTokens: undefined }],
  ])('is none that says %s', async (_, said) => {
    expect(await plain(said)).toBeUndefined();
    expect((await streamed(said)).lack).toBeUndefined();
  });
});

describe('a filtered reply', () => {
  const finish = 'content_filter';

  it.each<[string, Said]>([
    ['nothing is left', { message: {}, finish }],
    [
      'the JSON that was asked for may not be whole',
      { message: { content: '{"a"' }, finish, body: structured },
    ],
    ['a call may not be whole', { message: called('{"a'), finish, body: tools }],
    [
      'the call that was demanded is missing',
      { message: { content: 'x' }, finish, body: { ...tools, tool_choice: 'required' } },
    ],
  ])('leaves something to be wished where %s', async (_, said) => {
    expect(await plain(said)).toBe('filtered');
    expect(await streamed(said)).toEqual({ lack: 'filtered', left: [] });
  });

  it('leaves it also where a call that may not be whole stands behind words', async () => {
    const message = { content: 'Let me see.', ...called('{"a') };
    expect(await plain({ message, finish, body: tools })).toBe('filtered');
  });

  it.each<[string, Said]>([
    ['a text that it cut short', { message: { content: 'Half of' }, finish }],
    ['a refusal', { message: { refusal: 'No.' }, finish, body: structured }],
  ])('leaves nothing to be wished of %s', async (_, said) => {
    expect(await plain(said)).toBeUndefined();
    expect((await streamed(said)).lack).toBeUndefined();
  });
});

describe('what nobody sees, before the first word of a stream', () => {
  const read = (deltas: object[]) => {
    const left: string[] = [];
    const sink = { delta: (field: string) => void left.push(field) };
    const reply = new StreamReply(replyRulesOf({}), schemas, sink, MAX_TOKENS);
    for (const delta of deltas) reply.take(JSON.stringify({ choices: [{ index: 0, delta }] }));
    return { reply, left };
  };

  it('is held, and leaves with the word', () => {
    const { reply, left } = read([{ content: '\n' }, { content: '\u200b' }]);
    expect([left, reply.passedOnBytes, reply.heldBytes]).toEqual([[], 0, 4]);
    reply.take(JSON.stringify({ choices: [{ index: 0, delta: { content: 'a' } }] }));
    expect(left).toEqual(['"content":"\\n\u200b"', '"content":"a"']);
    expect([reply.passedOnBytes, reply.heldBytes]).toEqual([2, 0]);
  });

  it('is held of chunks that are recognised, too', () => {
    const { reply, left } = read([' ', ' ', ' ', 'a', ' '].map((content) => ({ content })));
    expect(left).toEqual(['"content":"   "', '"content":"a"', '"content":" "']);
    expect(reply.heldBytes).toBe(0);
  });

  it('leaves with a word of another text, each in its field', () => {
    const { left } = read([{ reasoning_content: '\n' }, { content: 'a' }]);
    expect(left).toEqual(['"reasoning_content":"\\n"', '"content":"a"']);
  });

  it('is not left again at the end', async () => {
    const { reply } = read([{ reasoning_content: '\n' }, { content: 'a' }]);
    reply.take(JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
    expect(await reply.conclude()).toMatchObject({ reasoning: undefined, content: '' });
  });

  it('is what is left to be delivered where no word comes', async () => {
    const { reply, left } = read([{ content: '\n' }]);
    reply.take(JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
    expect([(await reply.conclude()).content, left]).toEqual(['\n', []]);
  });
});
