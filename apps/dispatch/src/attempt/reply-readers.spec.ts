import { InvalidReplyError } from '../validation/invalid-reply.error';
import { replyRulesOf } from '../validation/reply-rules';
import { SchemaChecks } from '../validation/schema-checks.service';
import { ProviderErrorEvent, StreamReply } from '../validation/stream-reply';
import { PlainReader, StreamReader } from './reply-readers';

const event = (fields: object) => `data: ${JSON.stringify(fields)}\n\n`;
const word = event({ choices: [{ index: 0, delta: { content: 'x' } }] });
const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });

function reader(): StreamReader {
  return new StreamReader(new StreamReply(replyRulesOf({}), new SchemaChecks(), undefined, 10_000), 1_000);
}

describe('PlainReader', () => {
  it('takes blank lines before a document for no sign of life', () => {
    const plain = new PlainReader(replyRulesOf({}), new SchemaChecks(), 1_000);
    plain.take(Buffer.from('\r\n \n'));
    expect(plain.progress).toBe(0);
    plain.take(Buffer.from('\n{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}'));
    expect(plain.progress).toBe(1);
    expect(plain.conclude().content).toBe('x');
  });
});

describe('StreamReader', () => {
  it.each([
    ['half of the usage', Buffer.from('data: {"choices":[],"usage":{"prompt_tok')],
    ['half of a character', Buffer.from('data: {"choices":[],"x":"\u00e9').subarray(0, -1)],
    ['half of [DONE]', Buffer.from('data: [DO')],
    ['a space after [DONE]', Buffer.from('data: [DONE] ')],
    ['an event that holds nothing', Buffer.from('data:\n\n')],
  ])('takes a reply for whole that ends with %s after its finish reason', (_, rest) => {
    const stream = reader();
    stream.take(Buffer.from(word + finish));
    stream.take(rest);
    expect(stream.conclude()).toMatchObject({ finishReason: 'stop', content: 'x' });
  });

  it('hears of an error that is no data', () => {
    const failed = 'error: {"code":500,"message":"out of memory"}\n\ndata: [DONE]\n\n';
    expect(() => reader().take(Buffer.from(word + failed))).toThrow(ProviderErrorEvent);
  });

  it('takes none for whole that is cut before it', () => {
    const stream = reader();
    stream.take(Buffer.from(`${word}${finish.slice(0, -9)}`));
    const reasonOf = (): unknown => {
      try {
        return stream.conclude();
      } catch (error) {
        return InvalidReplyError.is(error) && error.reason;
      }
    };
    expect(reasonOf()).toBe('not_json');
  });
});
