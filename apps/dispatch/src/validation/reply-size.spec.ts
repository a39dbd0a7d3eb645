import { ChunkWriter } from './chunk-writer';
import { bodyBytes, maxOutputBytes } from './reply-size';
import type { WholeReply } from './whole-reply';

const MIB = 1024 * 1024;

function reply(content: string, beside: object[] = []): WholeReply {
  return {
    finishReason: 'stop',
    content,
    toolCalls: beside.map((extraContent) => ({
      ...{ id: 'a'.repeat(9), providerId: 'b'.repeat(200), name: 'f', arguments: '{}' },
      extraContent,
    })),
    outputBytes: Buffer.byteLength(content) + beside.length * 3,
    unwantedBytes: 0,
    unseenBytes: 0,
  };
}

const many = Array.from({ length: 128 }, () => ({ signature: 's'.repeat(1_000) }));

describe('how many bytes a model may write', () => {
  it('are those of the longest tokens, and no more than anybody reads', () => {
    expect(maxOutputBytes(1_000)).toBeGreaterThan(1_000 * ' '.repeat(128).length);
    expect(maxOutputBytes(10_000_000)).toBe(32 * MIB);
  });
});

describe('how many bytes a reply takes', () => {
  it.each<[string, WholeReply]>([
    ['nothing', reply('')],
    ['control characters', reply('\u0000'.repeat(50_000))],
    ['more of them', reply('\u0000'.repeat(MIB))],
    ['many calls, with what is beside them', reply('', many)],
    ['as many beside a long text', reply('x'.repeat(MIB), many)],
  ])('is never more than is said: %s', (_, whole) => {
    expect(bodyBytes(whole)).toBeGreaterThan(Buffer.byteLength(JSON.stringify(whole)));
  });

  it('is never more than is said as chunks, in which line ends of Unicode’s are written out', () => {
    const whole = reply('\u2028\u0085'.repeat(MIB));
    let written = 0;
    const identity = { completionId: 'c', created: 1, model: 'm', fingerprint: 'f' };
    new ChunkWriter(identity, false, (text) => (written += Buffer.byteLength(text))).rest(whole);
    expect(bodyBytes(whole)).toBeGreaterThan(written);
    expect(bodyBytes(whole)).toBeLessThan(written + 8 * 1024);
  });

  it('is said of a long text with little to spare, or it would be refused for what it is not', () => {
    expect(bodyBytes(reply('x'.repeat(MIB)))).toBeLessThan(MIB + 8 * 1024);
  });
});
