import { EventShell, RUN_CREDIT_BYTES, decodeFrame } from '@svc/contracts';
import type { RunFrame } from '@svc/contracts';
import { FrameClock } from './frame-clock';
import { RunOutput } from './run-output';

/** An output whose frames are kept instead of sent. */
function output(mayPack = false): { out: RunOutput; frames: RunFrame[] } {
  const frames: RunFrame[] = [];
  const deliver = (subject: string, payload: Uint8Array | string) => {
    expect(subject).toBe('_INBOX.gateway.g.1');
    const frame = decodeFrame(payload as Uint8Array);
    if (!frame) throw new Error('no frame');
    frames.push(frame);
  };
  return {
    frames,
    out: new RunOutput(
      '_INBOX.gateway.g.1',
      { streamed: false, mayPack },
      {
        publisher: { deliver } as never,
        instanceId: 'abcd1234',
        maxPayloadBytes: () => 2_000_000,
        clock: new FrameClock(() => 1),
      },
    ),
  };
}

const text = (frames: RunFrame[]) => frames.map(({ payload }) => payload.toString()).join('');

describe('RunOutput', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('knows for how long it has had no room', () => {
    const { out } = output();
    out.write('x'.repeat(RUN_CREDIT_BYTES));
    expect(out.blockedMs(performance.now())).toBe(0);
    out.flushSoon();
    jest.advanceTimersByTime(500);
    expect(out.blockedMs(performance.now())).toBe(500);
    out.addCredit(1);
    expect(out.blockedMs(performance.now())).toBe(0);
  });

  it('counts that time anew from credit that is not enough', () => {
    const { out } = output();
    out.write('x'.repeat(RUN_CREDIT_BYTES + 10));
    out.flushSoon();
    jest.advanceTimersByTime(500);
    out.addCredit(10);
    expect([out.blocked, out.blockedMs(performance.now())]).toEqual([true, 0]);
    jest.advanceTimersByTime(300);
    expect(out.blockedMs(performance.now())).toBe(300);
  });

  it('says that the run goes on where nothing else does, and nothing once it is over', () => {
    const { out, frames } = output();
    const types = () => frames.map(({ type }) => type);
    out.accept();
    out.keepHeard();
    expect(types()).toEqual(['accepted']);
    out.keepHeard();
    expect(types()).toEqual(['accepted', 'accepted']);
    out.write('a');
    out.flushSoon();
    out.keepHeard();
    expect(types()).toEqual(['accepted', 'accepted', 'data']);
    out.write('x'.repeat(RUN_CREDIT_BYTES));
    out.flushSoon();
    jest.advanceTimersByTime(20);
    expect(out.blocked).toBe(true);
    out.keepHeard();
    out.keepHeard();
    expect(types().at(-1)).toBe('accepted');
    out.end('');
    const { length } = frames;
    for (let time = 0; time < 2; time++) out.keepHeard();
    expect(frames).toHaveLength(length);
    expect(frames.map(({ sequence }) => sequence)).toEqual(frames.map((_, index) => index));
  });

  it('sends the first text at once, gathers for 20 ms, and numbers the frames', () => {
    const { out, frames } = output();
    out.accept();
    out.write('a');
    expect(out.delivered).toBe(false);
    out.flushSoon();
    expect(out.delivered).toBe(true);
    for (const letter of 'bcd') {
      out.write(letter);
      out.flushSoon();
    }
    expect(text(frames)).toBe('a');
    jest.advanceTimersByTime(20);
    expect(text(frames)).toBe('abcd');
    out.write('e');
    out.end('f');
    expect(frames.map(({ type, sequence, payload }) => [type, sequence, payload.toString()])).toEqual([
      ['accepted', 0, ''],
      ['data', 1, 'a'],
      ['data', 2, 'bcd'],
      ['end', 3, 'ef'],
    ]);
    jest.advanceTimersByTime(1_000);
    out.write('late');
    out.flushSoon();
    expect(frames).toHaveLength(4);
  });

  it('sends at once after a silence, or when much has gathered', () => {
    const { out, frames } = output();
    out.write('a');
    out.flushSoon();
    jest.advanceTimersByTime(25);
    out.write('b');
    out.flushSoon();
    expect(text(frames)).toBe('ab');
    out.write('c'.repeat(16 * 1024));
    out.flushSoon();
    expect(frames).toHaveLength(3);
  });

  describe('of a gateway that takes packed events', () => {
    const shell = new EventShell('data: {"of":"漢","text":"', '"}');
    const event = (text: string) => `data: {"of":"漢","text":"${text}"}\n\n`;

    it('sends what is alike packed, the end included, and the gateway reads what was written', () => {
      const { out, frames } = output(true);
      const words = ['so', 'viele', 'Wörter'];
      for (const word of words) out.write(word, shell);
      out.flushSoon();
      for (const word of words) out.write(word, shell);
      out.write('data: last\n\n');
      out.end('data: [DONE]\n\n');
      const events = words.map(event).join('');
      expect(frames.map(({ type, payload }) => [type, payload.toString()])).toEqual([
        ['data', events],
        ['end', `${events}data: last\n\ndata: [DONE]\n\n`],
      ]);
    });

    it('takes as much credit for it as the client gets bytes', () => {
      const { out, frames } = output(true);
      const size = Buffer.byteLength(event('')) + 100;
      const fit = Math.floor((64 * 1024) / size);
      for (let frame = 0; frame < 4; frame++) {
        expect(out.blocked).toBe(false);
        for (let count = 0; count <= fit; count++) out.write('x'.repeat(100), shell);
        out.flushSoon();
      }
      expect(out.blocked).toBe(true);
      const sent = frames.reduce((sum, { payload }) => sum + payload.length, 0);
      out.addCredit(sent - RUN_CREDIT_BYTES);
      expect(out.blocked).toBe(true);
      out.addCredit(1);
      expect(out.blocked).toBe(false);
    });

    it('sends no more at once than of other text, unpacked', () => {
      const { out, frames } = output(true);
      const long = 'é'.repeat(40_000);
      for (let count = 0; count < 3; count++) out.write(long, shell);
      out.end('');
      expect(Buffer.concat(frames.map(({ payload }) => payload)).toString()).toBe(event(long).repeat(3));
      expect(Math.max(...frames.map(({ payload }) => payload.length))).toBeLessThanOrEqual(128 * 1024);
    });
  });

  it('waits for credit', () => {
    const { out, frames } = output();
    out.write('x'.repeat(RUN_CREDIT_BYTES + 10));
    out.flushSoon();
    expect(out.blocked).toBe(true);
    const sent = text(frames).length;
    jest.advanceTimersByTime(100);
    out.write('more');
    out.flushSoon();
    jest.advanceTimersByTime(100);
    expect(text(frames)).toHaveLength(sent);
    out.addCredit(10);
    expect(out.blocked).toBe(true);
    out.addCredit(1_000);
    expect(out.blocked).toBe(false);
    jest.advanceTimersByTime(100);
    expect(text(frames).endsWith('more')).toBe(true);
  });

  it('cuts large text into frames, the end included, without breaking characters', () => {
    const { out, frames } = output();
    const large = '漢'.repeat(100_000);
    out.write(large);
    out.end('[DONE]');
    expect(frames.map(({ type }) => type)).toEqual(['data', 'data', 'end']);
    expect(Buffer.concat(frames.map(({ payload }) => payload)).toString()).toBe(`${large}[DONE]`);
    expect(Math.max(...frames.map(({ payload }) => payload.length))).toBeLessThanOrEqual(128 * 1024);
  });

  it('sends a plain body in one frame, and says whether it can', () => {
    const { out, frames } = output();
    expect(out.fits(1_800_000)).toBe(true);
    expect(out.fits(2_000_000)).toBe(false);
    out.end('x'.repeat(1_000_000));
    expect(frames.map(({ type, payload }) => [type, payload.length])).toEqual([['end', 1_000_000]]);
  });

  it('fails in the place of a last frame that may be lost, with the first error', () => {
    const ended = output();
    ended.out.accept();
    ended.out.end('{}');
    ended.out.failInstead('{"code":"no_capacity"}');
    ended.out.failInstead('{"code":"other"}');
    expect(ended.frames.map(({ type, sequence, payload }) => [type, sequence, payload.toString()])).toEqual([
      ['accepted', 0, ''],
      ['end', 1, '{}'],
      ['failure', 1, '{"code":"no_capacity"}'],
      ['failure', 1, '{"code":"no_capacity"}'],
    ]);
  });

  it('is silent until it has said anything, and says nothing after it has failed', () => {
    const { out, frames } = output();
    expect(out.silent).toBe(true);
    out.accept();
    expect(out.silent).toBe(false);
    out.fail('{"code":"no_capacity"}');
    out.accept();
    out.end('late');
    expect(frames.map(({ type }) => type)).toEqual(['accepted', 'failure']);
  });

  it('forgets what was not sent when it is discarded or failed', () => {
    const { out, frames } = output();
    out.write('from the first provider');
    out.discard();
    out.write('from the second');
    out.flushSoon();
    out.write('unsent');
    out.flushSoon();
    out.fail('{"code":"no_capacity"}');
    jest.advanceTimersByTime(100);
    expect(frames.map(({ type, payload }) => [type, payload.toString()])).toEqual([
      ['data', 'from the second'],
      ['failure', '{"code":"no_capacity"}'],
    ]);
  });
});
