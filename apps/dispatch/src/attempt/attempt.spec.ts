import { unavailable } from '../provider-client/provider-failure';
import type { ProviderFailure } from '../provider-client/provider-failure';
import type { UpstreamCall } from '../provider-client/upstream-call';
import { InvalidReplyError } from '../validation/invalid-reply.error';
import { CrowdedOutError } from '../validation/turns';
import { Attempt } from './attempt';
import { ReplyMemory } from './reply-memory.service';
import type { ReplyReader } from './reply-readers';

describe('Attempt', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    ['waits 5 s for what a finished reply can do without, however long words may take', 60_000, 4_999],
    ['takes a finished reply for whole also when its time is up', 1_500, 1_499],
  ])('%s', async (_, totalTimeoutMs, notBeforeMs) => {
    jest.useFakeTimers();
    const reply = { finishReason: 'stop' };
    const reader = {
      ...{ progress: 0, heldBytes: 0, passedOnBytes: 0, finished: false },
      take() {
        this.progress = 1;
        return (this.finished = true);
      },
      conclude: () => reply,
    };
    const post = (_target: unknown, _body: string, made: UpstreamCall) => {
      jest.spyOn(made, 'leave').mockImplementation(() => undefined);
    };
    const attempt = new Attempt({ post } as never, {} as never, {
      ...{ target: {} as never, body: '{}' },
      patience: { firstTokenTimeoutMs: 1_000, chunkTimeoutMs: 60_000, totalTimeoutMs },
      output: { blocked: false, flushSoon: () => undefined },
      readerFor: () => reader as unknown as ReplyReader,
    });
    const ended = jest.fn();
    void attempt.outcome.then(ended);
    attempt.onHead('text/event-stream');
    attempt.onData(Buffer.from('x'));
    await jest.advanceTimersByTimeAsync(notBeforeMs);
    expect(ended).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(2);
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ kind: 'served', reply }));
  });

  it('holds no memory once it is over, also when its first word was all that was wanted', async () => {
    let heldBytes = () => 0;
    const memory = new ReplyMemory({ watchReplyMemory: (held: () => number) => (heldBytes = held) } as never);
    let call!: UpstreamCall;
    const client = { post: (_target: unknown, _body: string, made: UpstreamCall) => (call = made) };
    const reader = {
      ...{ progress: 0, heldBytes: 0, passedOnBytes: 0, finished: false },
      take(bytes: Buffer) {
        this.progress++;
        this.heldBytes += bytes.length;
        return true;
      },
    };
    const patience = { firstTokenTimeoutMs: 1_000, chunkTimeoutMs: 1_000, totalTimeoutMs: 10_000 };
    const start = async (onFirstToken?: (attempt: Attempt) => void) => {
      const attempt = new Attempt(client as never, memory, {
        ...{ target: {} as never, body: '{}', patience },
        output: { blocked: false, flushSoon: () => undefined },
        readerFor: () => ({ ...reader }) as unknown as ReplyReader,
        onFirstToken,
      });
      jest.spyOn(call, 'abort').mockImplementation(() => undefined);
      attempt.onHead('text/event-stream');
      attempt.onData(Buffer.alloc(40 * 1024));
      await Promise.resolve();
      return attempt;
    };

    const kept = await start();
    expect(heldBytes()).toBe(40 * 1024);
    kept.stop();
    expect(heldBytes()).toBe(0);
    const stopped = await start((attempt) => attempt.stop());
    expect(await stopped.outcome).toMatchObject({ kind: 'stopped' });
    expect(heldBytes()).toBe(0);
  });

  it('that is stopped closes the connection and says what was passed on: nothing before the provider has answered', async () => {
    const reader = { progress: 0, heldBytes: 0, passedOnBytes: 0, finished: false };
    const take = () => {
      reader.progress++;
      reader.passedOnBytes += 3;
      return true;
    };
    const [onFirstToken, onProgress] = [jest.fn(), jest.fn()];
    const start = () => {
      let call!: UpstreamCall;
      const client = { post: (_target: unknown, _body: string, made: UpstreamCall) => (call = made) };
      const attempt = new Attempt(client as never, {} as never, {
        ...{ target: {} as never, body: '{}', onFirstToken, onProgress },
        patience: { firstTokenTimeoutMs: 1_000, chunkTimeoutMs: 1_000, totalTimeoutMs: 10_000 },
        output: { blocked: false, flushSoon: () => undefined },
        readerFor: () => Object.assign(reader, { take }) as unknown as ReplyReader,
      });
      return { attempt, abort: jest.spyOn(call, 'abort').mockImplementation(() => undefined) };
    };
    const early = start();
    early.attempt.stop();
    expect(await early.attempt.outcome).toMatchObject({ kind: 'stopped', passedOnBytes: 0 });
    const late = start();
    late.attempt.onHead('text/event-stream');
    for (let read = 0; read < 2; read++) {
      late.attempt.onData(Buffer.from('abc'));
      await Promise.resolve();
    }
    late.attempt.stop();
    expect(await late.attempt.outcome).toMatchObject({ kind: 'stopped', passedOnBytes: 6 });
    for (const { abort } of [early, late]) expect(abort).toHaveBeenCalledTimes(1);
    expect(onFirstToken.mock.calls).toEqual([[late.attempt]]);
    expect(onProgress).toHaveBeenCalledTimes(2);
  });

  describe('whose client took nothing for a while', () => {
    const reader = () => ({
      ...{ progress: 0, heldBytes: 0, passedOnBytes: 7, finished: false },
      take() {
        this.progress++;
        return true;
      },
      isCutBy: () => true,
      conclude: () => Promise.reject(new InvalidReplyError('no_finish_reason')),
    });

    /** @returns what the attempt came to, and whether the client was blamed */
    async function loseAfter(pauseMs: number, lose: (attempt: Attempt) => void, readingMs = 0) {
      jest.useFakeTimers();
      const output = { blocked: true, flushSoon: () => undefined };
      const onSlowReader = jest.fn(() => attempt.stop());
      const attempt: Attempt = new Attempt({ post: () => undefined } as never, {} as never, {
        ...{ target: {} as never, body: '{}', output, onSlowReader },
        patience: { firstTokenTimeoutMs: 1_000, chunkTimeoutMs: 1_000, totalTimeoutMs: 100_000 },
        readerFor: () => reader(),
      });
      attempt.onHead('text/event-stream');
      attempt.onData(Buffer.from('x'));
      await jest.advanceTimersByTimeAsync(pauseMs);
      output.blocked = false;
      attempt.resume();
      // The provider goes on meanwhile.
      for (let passed = 0; passed < readingMs; passed += 500) {
        await jest.advanceTimersByTimeAsync(500);
        attempt.onData(Buffer.from('x'));
      }
      await jest.advanceTimersByTimeAsync(0);
      lose(attempt);
      return { outcome: await attempt.outcome, isBlamed: onSlowReader.mock.calls.length > 0 };
    }

    it.each<[string, (attempt: Attempt) => void]>([
      ['lost', (attempt) => attempt.onFailure(unavailable('connection_lost'))],
      ['ended without its end', (attempt) => attempt.onEnd(false)],
    ])('is not the provider’s failure when its connection is %s', async (_, lose) => {
      const { outcome, isBlamed } = await loseAfter(10_000, lose);
      expect([outcome.kind, isBlamed]).toEqual(['stopped', true]);
      expect(outcome).toMatchObject({ passedOnBytes: 7 });
    });

    it.each([
      ['the pause was short', 9_000, 'connection_lost' as const, 0],
      ['it failed otherwise', 10_000, 'tls_failed' as const, 0],
      ['the client had caught up since', 60_000, 'connection_lost' as const, 5_000],
    ])('fails as ever when %s', async (_, pauseMs, reason, readingMs) => {
      const lost = await loseAfter(pauseMs, (attempt) => attempt.onFailure(unavailable(reason)), readingMs);
      expect(lost).toMatchObject({ outcome: { kind: 'failed' }, isBlamed: false });
    });

    it('has not caught up while it pauses again and again', async () => {
      const lose = (attempt: Attempt) => attempt.onFailure(unavailable('connection_lost'));
      expect((await loseAfter(10_000, lose, 4_500)).isBlamed).toBe(true);
    });
  });

  it('answers for what its output keeps, too, and lets go of it when that is the most', async () => {
    let heldBytes = () => 0;
    const memory = new ReplyMemory({ watchReplyMemory: (held: () => number) => (heldBytes = held) } as never);
    const reader = { progress: 0, heldBytes: 0, passedOnBytes: 0, finished: false, take: () => true };
    const output = { blocked: false, keptBytes: 0, flushSoon: () => undefined };
    let call!: UpstreamCall;
    const client = { post: (_target: unknown, _body: string, made: UpstreamCall) => (call = made) };
    const attempt = new Attempt(client as never, memory, {
      ...{ target: {} as never, body: '{}', output },
      patience: { firstTokenTimeoutMs: 1_000, chunkTimeoutMs: 1_000, totalTimeoutMs: 10_000 },
      readerFor: () => reader as unknown as ReplyReader,
    });
    jest.spyOn(call, 'abort').mockImplementation(() => undefined);
    attempt.onHead('text/event-stream');
    output.keptBytes = 1024 * 1024;
    attempt.onData(Buffer.from('x'));
    await Promise.resolve();
    expect(heldBytes()).toBe(1024 * 1024);
    output.keptBytes = 300 * 1024 * 1024;
    attempt.onData(Buffer.from('x'));
    expect(await attempt.outcome).toMatchObject({ kind: 'failed', failure: { reason: 'crowded_out' } });
  });

  it('is not remembered for memory that it held for a while', async () => {
    const memory = new ReplyMemory({ watchReplyMemory: () => undefined } as never);
    const reader = { progress: 0, heldBytes: 0, passedOnBytes: 0, finished: false, take: () => true };
    const attempt = new Attempt({ post: () => undefined } as never, memory, {
      ...{ target: {} as never, body: '{}' },
      patience: { firstTokenTimeoutMs: 1_000, chunkTimeoutMs: 1_000, totalTimeoutMs: 10_000 },
      output: { blocked: false, flushSoon: () => undefined },
      readerFor: () => reader as unknown as ReplyReader,
    });
    attempt.onHead('text/event-stream');
    // A large event comes in two pieces, and is passed on.
    for (reader.heldBytes of [40 * 1024, 0]) {
      attempt.onData(Buffer.from('x'));
      await Promise.resolve();
    }
    attempt.stop();
    expect(memory.holderCount).toBe(0);
  });

  /** One whose whole reply has come, and is judged so. */
  async function judgedBy(conclude: () => Promise<unknown>) {
    const reader = {
      ...{ progress: 1, heldBytes: 0, passedOnBytes: 0, finished: true },
      ...{ take: () => false, conclude },
    };
    let call!: UpstreamCall;
    const client = { post: (_target: unknown, _body: string, made: UpstreamCall) => (call = made) };
    const attempt = new Attempt(client as never, {} as never, {
      ...{ target: {} as never, body: '{}' },
      patience: { firstTokenTimeoutMs: 1_000, chunkTimeoutMs: 1_000, totalTimeoutMs: 10_000 },
      output: { blocked: false, flushSoon: () => undefined },
      readerFor: () => reader as unknown as ReplyReader,
    });
    const abort = jest.spyOn(call, 'abort').mockImplementation(() => undefined);
    attempt.onHead('text/event-stream');
    attempt.onData(Buffer.from('x'));
    await Promise.resolve();
    return { attempt, abort };
  }

  it.each([
    ['stopped', (attempt: Attempt) => attempt.stop(), { kind: 'stopped' }],
    ['crowded out', (attempt: Attempt) => attempt.crowdOut(), { failure: { reason: 'crowded_out' } }],
  ])('that is %s while its reply is judged has that for its outcome', async (_, end, outcome) => {
    const judged: ((error: Error) => void)[] = [];
    const { attempt, abort } = await judgedBy(() => new Promise((_served, failed) => judged.push(failed)));
    // What comes now is not read, and what ends now says nothing.
    attempt.onData(Buffer.from('y'));
    attempt.onEnd(true);
    expect([judged.length, attempt.isOver]).toEqual([1, false]);
    end(attempt);
    judged[0]?.(new TypeError('too late to be heard'));
    expect(await attempt.outcome).toMatchObject(outcome);
    expect(abort).toHaveBeenCalledTimes(1);
  });

  it('has no time to judge a reply where others took all of it', async () => {
    const { attempt } = await judgedBy(() => Promise.reject(new CrowdedOutError()));
    const failure = { kind: 'unavailable', reason: 'crowded_out' };
    expect(await attempt.outcome).toMatchObject({ kind: 'failed', failure });
  });

  describe('a read', () => {
    const patience = { firstTokenTimeoutMs: 1_000, chunkTimeoutMs: 1_000, totalTimeoutMs: 10_000 };

    /** @param take what the reader says to what came with one read */
    function startWith(take: (text: string, pieces: number) => boolean) {
      const reader = { progress: 0, heldBytes: 0, passedOnBytes: 0, finished: false };
      const output = { blocked: false, flushSoon: jest.fn(), rest: jest.fn((_readOn: () => void) => false) };
      let call!: UpstreamCall;
      const client = { post: (_target: unknown, _body: string, made: UpstreamCall) => (call = made) };
      const attempt = new Attempt(client as never, {} as never, {
        ...{ target: {} as never, body: '{}', output, patience },
        readerFor: () =>
          Object.assign(reader, {
            take: (bytes: Buffer, pieces: number) => take(bytes.toString(), pieces),
          }) as unknown as ReplyReader,
      });
      const [rest, wake, pause] = [
        jest.spyOn(call, 'rest'),
        jest.spyOn(call, 'wake'),
        jest.spyOn(call, 'pause'),
      ];
      jest.spyOn(call, 'abort').mockImplementation(() => undefined);
      attempt.onHead('text/event-stream');
      const read = (...pieces: string[]) => {
        for (const piece of pieces) attempt.onData(Buffer.from(piece));
        // As after an event of the socket.
        return Promise.resolve();
      };
      return { attempt, reader, output, read, rest, wake, pause };
    }

    it('is taken and passed on once, with all its pieces', async () => {
      const take = jest.fn(() => true);
      const { output, read, pause, attempt } = startWith(take);
      const over = read('a', 'b', 'c');
      expect(output.flushSoon).not.toHaveBeenCalled();
      await over;
      expect(take).toHaveBeenCalledWith('abc', 3);
      expect(output.flushSoon).toHaveBeenCalledTimes(1);
      output.blocked = true;
      await read('d');
      expect(output.flushSoon).toHaveBeenCalledTimes(2);
      expect(pause).toHaveBeenCalledTimes(1);
      attempt.stop();
    });

    it('is not passed on at all when one of its pieces is invalid', async () => {
      const { output, read, attempt } = startWith((text) => {
        if (text.endsWith('b')) throw new InvalidReplyError('shape');
        return true;
      });
      await read('a', 'b');
      expect(await attempt.outcome).toMatchObject({ kind: 'failed', failure: { reason: 'shape' } });
      expect(output.flushSoon).not.toHaveBeenCalled();
    });

    it('is taken before the end that came with it, and goes with that', async () => {
      const { output, reader, attempt } = startWith(() => true);
      const reply = { finishReason: 'stop' };
      Object.assign(reader, { conclude: () => reply });
      attempt.onData(Buffer.from('a'));
      reader.progress = 1;
      attempt.onEnd(true);
      expect(await attempt.outcome).toMatchObject({ kind: 'served', reply });
      expect(output.flushSoon).not.toHaveBeenCalled();
    });

    it('is taken before the loss of the connection that came with it', async () => {
      const lost = () => attempt.onFailure({ reason: 'connection_lost' } as ProviderFailure);
      const reply = { finishReason: 'stop' };
      const { reader, attempt } = startWith(() => (reader.finished = true));
      Object.assign(reader, { conclude: () => reply });
      attempt.onData(Buffer.from('finish'));
      lost();
      expect(await attempt.outcome).toMatchObject({ kind: 'served', reply });
    });

    it('says that it is invalid though the connection was lost with it', async () => {
      const { attempt } = startWith(() => {
        throw new InvalidReplyError('shape');
      });
      attempt.onData(Buffer.from('x'));
      attempt.onFailure({ reason: 'connection_lost' } as ProviderFailure);
      expect(await attempt.outcome).toMatchObject({ kind: 'failed', failure: { reason: 'shape' } });
    });

    it('that a fault of ours keeps from being read rejects the outcome', async () => {
      const { attempt, read } = startWith(() => {
        throw new TypeError('a fault');
      });
      void read('x');
      await expect(attempt.outcome).rejects.toThrow('a fault');
    });

    it('is followed by none for a while where text would have to wait', async () => {
      const { output, read, rest, wake, reader, attempt } = startWith(() => true);
      output.rest.mockReturnValue(true);
      await read('a');
      expect([rest.mock.calls.length, output.flushSoon.mock.calls.length]).toEqual([1, 0]);
      // What the connection had taken already.
      await read('b');
      expect([rest.mock.calls.length, output.flushSoon.mock.calls.length]).toEqual([1, 1]);
      const readOn = output.rest.mock.calls[0]?.[0];
      readOn?.();
      expect(wake).toHaveBeenCalledTimes(1);
      await read('c');
      expect(rest).toHaveBeenCalledTimes(2);
      readOn?.();
      // The end is near.
      reader.finished = true;
      await read('d');
      expect([rest.mock.calls.length, output.flushSoon.mock.calls.length]).toEqual([2, 2]);
      attempt.stop();
      wake.mockClear();
      readOn?.();
      expect(wake).not.toHaveBeenCalled();
    });

    it('is called late only after a look at what lies unread while the connection rests', async () => {
      jest.useFakeTimers();
      const { attempt, output, read, reader, wake } = startWith(() => true);
      output.rest.mockReturnValue(true);
      const ended = jest.fn();
      void attempt.outcome.then(ended);
      reader.progress = 1;
      await read('a');
      wake.mockImplementationOnce(() => {
        setImmediate(() => {
          reader.progress = 2;
          void read('b');
        });
      });
      await jest.advanceTimersByTimeAsync(patience.chunkTimeoutMs + 1);
      expect(wake).toHaveBeenCalledTimes(1);
      expect(ended).not.toHaveBeenCalled();
      await jest.advanceTimersByTimeAsync(patience.chunkTimeoutMs + 1);
      expect(ended).toHaveBeenCalledWith(
        expect.objectContaining({ failure: expect.objectContaining({ reason: 'chunk_timeout' }) as unknown }),
      );
    });
  });
});
