import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { InvalidReplyError } from '../validation/invalid-reply.error';
import { replyRulesOf } from '../validation/reply-rules';
import { replySchemas } from '../validation/reply-schemas.for-spec';
import { ProviderErrorEvent, StreamReply } from '../validation/stream-reply';
import { PlainReader, StreamReader } from './reply-readers';

const event = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;
const word = event({ choices: [{ index: 0, delta: { content: 'x' } }] });
const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });

const schemas = replySchemas();

function reader(): StreamReader {
  return new StreamReader(new StreamReply(replyRulesOf({}), schemas, undefined, 1_000), 1_000);
}

describe('PlainReader', () => {
  it('takes blank lines before a document for no sign of life', async () => {
    const plain = new PlainReader(replyRulesOf({}), schemas, 1_000);
    plain.take(Buffer.from('\r\n \n'), 1);
    expect(plain.progress).toBe(0);
    plain.take(Buffer.from('\n{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}'), 1);
    expect(plain.progress).toBe(1);
    expect((await plain.conclude()).content).toBe('x');
  });

  it('passes over a byte order mark, at the beginning alone', async () => {
    const document = '{"choices":[{"message":{"content":"\ufeffx"},"finish_reason":"stop"}]}';
    const contentAfter = async (before: string) => {
      const plain = new PlainReader(replyRulesOf({}), schemas, 1_000);
      plain.take(Buffer.from(before + document), 1);
      return (await plain.conclude()).content;
    };
    expect(await contentAfter('\ufeff')).toBe('\ufeffx');
    await expect(contentAfter('\ufeff\ufeff')).rejects.toThrow('not_json');
  });
});

describe('StreamReader', () => {
  it.each([
    ['half of the usage', Buffer.from('data: {"choices":[],"usage":{"prompt_tok')],
    ['half of a character', Buffer.from('data: {"choices":[],"x":"\u00e9').subarray(0, -1)],
    ['half of [DONE]', Buffer.from('data: [DO')],
    ['a space after [DONE]', Buffer.from('data: [DONE] ')],
    ['an event that holds nothing', Buffer.from('data:\n\n')],
  ])('takes a reply for whole that ends with %s after its finish reason', async (_, rest) => {
    const stream = reader();
    stream.take(Buffer.from(word + finish), 1);
    stream.take(rest, 1);
    expect(await stream.conclude()).toMatchObject({ finishReason: 'stop', content: 'x' });
  });

  it('takes no reply for whole with which came what is no UTF-8, also where that stands behind its end', () => {
    const whole = Buffer.from(`${word}${finish}data: [DONE]\n\n`);
    expect(() => reader().take(Buffer.concat([whole, Buffer.of(0xff, 0x0a)]), 2)).toThrow(InvalidReplyError);
    expect(reader().take(whole, 1)).toBe(false);
  });

  it('hears of an error that is no data', () => {
    const failed = 'error: {"code":500,"message":"out of memory"}\n\ndata: [DONE]\n\n';
    expect(() => reader().take(Buffer.from(word + failed), 1)).toThrow(ProviderErrorEvent);
  });

  it('takes none for whole that is cut before it', async () => {
    const stream = reader();
    stream.take(Buffer.from(`${word}${finish.slice(0, -9)}`), 1);
    await expect(stream.conclude()).rejects.toMatchObject({ reason: 'not_json' });
  });
});

describe('what a stream keeps', () => {
  const MIB = 1024 * 1024;
  const MAX_TOKENS = 8_192;
  const comment = `:${'x'.repeat(64 * 1024)}\n`;
  const calling = (...calls: object[]) => event({ choices: [{ index: 0, delta: { tool_calls: calls } }] });
  const call = (index: number, fields: object = {}) => ({
    index,
    function: { name: 'f', arguments: '{' },
    ...fields,
  });
  const sealed = { google: Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, {}])) };
  const collect = () => {
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
  };

  /** One read each, and how often. */
  it.each<[string, string, (at: number) => string, number]>([
    [
      'words between long comments',
      'data: {"choices":[{"index":0,"delta":{"content":"a word or two"}}]}\n\n',
      () => `data: {"choices":[{"index":0,"delta":{"content":"a word or two"}}]}\n\n${comment}`,
      480,
    ],
    ['an event whose lines stand between such', 'data: {\n', () => `data:${' '.repeat(20)}\n${comment}`, 480],
    ['ids of calls that are cut', '', (at) => calling(call(at % 128, { id: 'i'.repeat(MIB / 4) })), 128],
    ['what is beside calls', '', (at) => calling(call(at % 128, { extra_content: sealed })), 128],
    [
      'what is beside calls, though nobody would take it back',
      '',
      (at) =>
        calling(call(at % 128, { extra_content: { google: Array.from({ length: 5_000 }, () => ({})) } })),
      128,
    ],
  ])('is what it says, about: %s', (_, begin, read, times) => {
    const rules = replyRulesOf({});
    const reply = new StreamReply(rules, schemas, undefined, MAX_TOKENS);
    const stream = new StreamReader(reply, MAX_TOKENS);
    collect();
    const before = process.memoryUsage().heapUsed;
    stream.take(Buffer.from(begin), 1);
    for (let at = 0; at < times; at++) stream.take(Buffer.from(read(at)), 1);
    collect();
    const kept = process.memoryUsage().heapUsed - before;
    // Objects take several times as much as their JSON.
    expect(kept).toBeLessThan(2 * MIB + 8 * stream.heldBytes);
  });
});
