import { RUN_CREDIT_BYTES, decodeFrame } from '@svc/contracts';
import type { RunFrame } from '@svc/contracts';
import { ResponseCipher } from '@svc/response-cipher';
import { weightOf } from '../breaker/failure-weight';
import { runRequest } from '../testing/run-request.for-spec';
import { invalid } from '../provider-client/provider-failure';
import { FrameClock } from './frame-clock';
import { END_DOUBTFUL_MS, FRAME_HEADER_BYTES } from './run-output';
import { SharedOutput } from './shared-output';

const MAX_PAYLOAD_BYTES = 8 * 1024 * 1024;

/** A shared reply whose frames are kept, by subscriber. */
function shared(streamed = true, liveRuns = 1) {
  const frames = new Map<string, RunFrame[]>();
  const deliver = (subject: string, payload: Uint8Array | string) => {
    const frame = decodeFrame(payload as Uint8Array);
    if (!frame) throw new Error('no frame');
    frames.set(subject, [...(frames.get(subject) ?? []), frame]);
  };
  const out = new SharedOutput(streamed, {
    publisher: { deliver } as never,
    instanceId: 'abcd1234',
    maxPayloadBytes: () => MAX_PAYLOAD_BYTES,
    clock: new FrameClock(() => liveRuns),
  });
  const join = (name: string, gatewayId = 'g') => out.subscribe({ gatewayId, subscriberId: name }, name);
  const of = (name: string) => frames.get(name) ?? [];
  const text = (name: string) => Buffer.concat(of(name).map(({ payload }) => payload)).toString();
  const types = (name: string) => of(name).map(({ type }) => type);
  return { out, join, of, text, types };
}

describe('SharedOutput', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('gives everybody the same bytes, whenever they join, in frames of their own', () => {
    const { out, join, of, text, types } = shared();
    join('first');
    out.write('a');
    out.flushSoon();
    join('second');
    out.write('b');
    out.flushSoon();
    expect([text('first'), text('second')]).toEqual(['a', 'a']);
    jest.advanceTimersByTime(20);
    out.write('c');
    expect(out.seal('d')?.toString()).toBe('abcd');
    expect([text('first'), text('second')]).toEqual(['ab', 'ab']);
    join('before the end');
    out.end();
    join('after the end');
    for (const name of ['first', 'second', 'before the end', 'after the end']) {
      expect(text(name)).toBe('abcd');
      expect(types(name).at(-1)).toBe('end');
      expect(of(name).map(({ sequence }) => sequence)).toEqual(of(name).map((_, index) => index));
    }
    expect(types('after the end')).toEqual(['end']);
    expect([out.ended, out.keptBytes]).toEqual([true, 4]);
  });

  it('says that the run goes on to whoever has heard nothing else, and still listens', () => {
    const { out, join, types } = shared(false);
    for (const name of ['waits', 'left']) join(name);
    out.accept();
    out.keepHeard();
    out.unsubscribe('left');
    join('came');
    for (let time = 0; time < 2; time++) out.keepHeard();
    expect(types('waits')).toEqual(['accepted', 'accepted', 'accepted']);
    expect(types('came')).toEqual(['accepted', 'accepted']);
    expect(types('left')).toEqual(['accepted']);
    out.seal('{}');
    out.end();
    for (let time = 0; time < 2; time++) out.keepHeard();
    expect(types('waits')).toEqual(['accepted', 'accepted', 'accepted', 'end']);
  });

  it('shows nobody the end before it is told', () => {
    const { out, join, text } = shared();
    join('first');
    out.write('content');
    out.seal('the charge');
    jest.advanceTimersByTime(1_000);
    join('second');
    expect([text('first'), text('second')]).toEqual(['', '']);
    out.fail('{}');
    expect(text('first')).toBe('{}');
  });

  it('tells whoever comes to a failed run of the failure, and nothing of what was written', () => {
    const { out, join, text, types } = shared();
    join('orphan', 'gone');
    out.dropGateway('gone', '{}');
    out.write('a');
    out.flushSoon();
    out.write('b');
    out.flushSoon();
    out.fail('{"code":"no_capacity"}');
    jest.advanceTimersByTime(1_000);
    join('late');
    expect([types('orphan'), types('late')]).toEqual([['failure'], ['failure']]);
    expect(text('late')).toBe('{"code":"no_capacity"}');
    expect([out.ended, out.keptBytes]).toEqual([false, 1]);
  });

  it('has its provider rest, where many replies are under way, from its first text to its end', () => {
    const alone = shared().out;
    alone.write('a');
    expect(alone.rest(() => undefined)).toBe(false);
    const { out, join, text } = shared(true, 1_000);
    join('a');
    const readOn = jest.fn();
    expect(out.rest(readOn)).toBe(false);
    out.write('all there is');
    for (let rests = 1; rests <= 2; rests++) {
      expect(out.rest(readOn)).toBe(true);
      expect(text('a')).toBe('all there is');
      expect(readOn).toHaveBeenCalledTimes(rests - 1);
      jest.advanceTimersByTime(100);
      expect(readOn).toHaveBeenCalledTimes(rests);
    }
    out.seal('');
    out.end();
    expect(out.rest(readOn)).toBe(false);
  });

  it('lets each go at its own pace, and slows nobody for one that takes nothing', () => {
    const { out, join, text, types } = shared();
    join('slow');
    join('fast');
    const block = 'x'.repeat(100_000);
    for (let sent = 0; sent < 8; sent++) {
      out.write(block);
      out.flushSoon();
      jest.advanceTimersByTime(20);
      out.addCredit('fast', block.length);
    }
    expect(out.blocked).toBe(false);
    expect(text('fast')).toHaveLength(8 * block.length);
    expect(text('slow').length).toBeLessThan(RUN_CREDIT_BYTES + 128 * 1024);
    out.seal('[DONE]');
    out.end();
    expect(types('fast').at(-1)).toBe('end');
    expect(types('slow').at(-1)).toBe('data');
    expect(out.isAwaited(1_000)).toBe(true);
    while (types('slow').at(-1) !== 'end') out.addCredit('slow', 64 * 1024);
    expect(text('slow') === text('fast')).toBe(true);
    expect(out.isAwaited(1_000)).toBe(false);
  });

  it('waits for nobody who shows no life, has left, or whose gateway is gone', () => {
    const { out, join, of, types } = shared();
    join('mute');
    join('left');
    join('orphan', 'gone');
    jest.advanceTimersByTime(1_001);
    out.write('x'.repeat(1_000_000));
    out.flushSoon();
    out.unsubscribe('left');
    out.dropGateway('gone', '{}');
    expect(types('orphan').at(-1)).toBe('failure');
    const [left, orphan] = [of('left').length, of('orphan').length];
    out.seal('');
    out.end();
    out.addCredit('left', 1_000_000);
    expect([of('left').length, of('orphan').length]).toEqual([left, orphan]);
    expect(out.isAwaited(1_000)).toBe(true);
    // What makes little room gets nothing, yet shows life.
    for (let times = 0; times < 2; times++) {
      jest.advanceTimersByTime(1_001);
      expect(out.isAwaited(1_000)).toBe(false);
      out.addCredit('mute', 1);
      expect(out.isAwaited(1_000)).toBe(true);
    }
  });

  it('knows that somebody has seen something, though others who followed it are gone', () => {
    const { out, join } = shared();
    join('stays');
    join('orphan', 'gone');
    out.dropGateway('gone', '{}');
    out.write('x');
    out.flushSoon();
    expect(out.delivered).toBe(true);
  });

  it('keeps nothing of those who come and go', () => {
    const { out, join } = shared();
    join('stays');
    for (let count = 0; count < 100; count++) {
      join(`${count}`);
      out.unsubscribe(`${count}`);
    }
    expect(out.subscriberIds).toEqual(['stays']);
  });

  it('sends a plain reply in one frame, to latecomers as well', () => {
    const { out, join, types, text } = shared(false);
    join('first');
    join('orphan', 'gone');
    out.dropGateway('gone', '{}');
    const body = 'y'.repeat(1_000_000);
    expect(out.fits(Buffer.byteLength(body))).toBe(true);
    out.seal(body);
    out.end();
    join('second');
    out.addCredit('first', 1_000_000);
    expect([types('first'), types('second'), types('orphan')]).toEqual([['end'], ['end'], ['failure']]);
    expect(out.delivered).toBe(true);
    expect(text('second') === body).toBe(true);
  });

  it('begins anew for another provider as long as nobody has seen anything', () => {
    const { out, join, text } = shared();
    out.write('of the first');
    out.flushSoon();
    out.write('that waits');
    expect(out.delivered).toBe(false);
    out.discard();
    join('one');
    out.write('of the second');
    out.flushSoon();
    expect(out.delivered).toBe(true);
    out.discard();
    out.seal('.');
    out.end();
    expect(text('one')).toBe('of the second.');
  });

  it('does not grow beyond what can be stored', () => {
    const { out } = shared();
    out.write('z'.repeat(ResponseCipher.MAX_BYTES - 10));
    out.flushSoon();
    out.write('z'.repeat(10));
    expect(() => out.write('x')).toThrow(expect.objectContaining({ reason: 'undeliverable' }) as Error);
    // The provider may have written that much: its breaker hears nothing of it.
    const question = { request: runRequest(['a']), certified: undefined };
    expect(weightOf(invalid('undeliverable'), question)).toBe('none');
    const wide = shared().out;
    wide.write('漢'.repeat(ResponseCipher.MAX_BYTES / 2));
    expect(wide.seal('')).toBeUndefined();
  });

  it('says whether a rest fits beside what was written, in bytes', () => {
    const { out } = shared();
    out.write('漢');
    out.flushSoon();
    out.write('漢');
    expect(out.fits(ResponseCipher.MAX_BYTES - 6)).toBe(true);
    expect(out.fits(ResponseCipher.MAX_BYTES - 5)).toBe(false);
    const plain = shared(false).out;
    expect(plain.fits(MAX_PAYLOAD_BYTES - FRAME_HEADER_BYTES)).toBe(true);
    expect(plain.fits(MAX_PAYLOAD_BYTES - FRAME_HEADER_BYTES + 1)).toBe(false);
  });

  it('says what it keeps, of which nothing goes by being read', () => {
    const { out, join } = shared();
    join('first');
    out.write('x'.repeat(100_000));
    out.flushSoon();
    out.write('y'.repeat(10));
    expect(out.keptBytes).toBe(100_010);
  });

  it('says that it lives to those who have heard nothing', () => {
    const { out, join, types } = shared();
    join('a');
    out.accept();
    out.accept();
    join('b');
    expect(out.silent).toBe(false);
    out.accept();
    expect([types('a'), types('b')]).toEqual([['accepted'], ['accepted']]);
  });

  it('fails whoever followed it over a link that was lost, in the place of a last frame they may have missed', () => {
    const { out, join, of, types } = shared();
    join('under way');
    out.write('half');
    out.flushSoon();
    out.failSubscribers('{"code":"no_capacity"}');
    expect(types('under way')).toEqual(['data', 'failure']);
    join('anew');
    out.seal(' whole');
    out.end();
    out.failSubscribers('{}');
    expect(of('anew').map(({ type, sequence }) => [type, sequence])).toEqual([
      ['data', 0],
      ['end', 1],
      ['failure', 1],
    ]);
    join('later');
    expect(types('later')).toEqual(['end']);
    // They have it by now: the link was there for long.
    jest.advanceTimersByTime(END_DOUBTFUL_MS);
    out.failSubscribers('{}');
    expect(types('later')).toEqual(['end']);
    join('last');
    out.failSubscribers('{}');
    expect(of('last').map(({ type, sequence }) => [type, sequence])).toEqual([
      ['end', 0],
      ['failure', 0],
    ]);
  });
});
