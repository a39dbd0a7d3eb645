import type { ProbeObservation } from '@svc/contracts';
import { ProbeInterruptedError } from '../probe-interrupted.error';
import { concurrency, judgeConcurrency, stepsUpTo } from './concurrency.probe';
import { disconnect, judgeDisconnect } from './disconnect.probe';
import { AT_HAND, TERMS, failing, observationOf, replied } from './observation.for-spec';
import type { Examination, Question } from './probe';

const times = (count: number, observation: ProbeObservation) =>
  Array.from({ length: count }, () => observation);
const full = failing('status_429', { status: 429 });

/** A server with so many places, as the probe sees it. */
function examinationOf(
  answer: (question: Question, underWay: number) => ProbeObservation,
  parts: Partial<Examination> = {},
): Examination & { asked: Question[]; peak: number } {
  let underWay = 0;
  const examination = {
    ...AT_HAND,
    asked: [] as Question[],
    peak: 0,
    async ask(question: Question) {
      examination.asked.push(question);
      examination.peak = Math.max(examination.peak, ++underWay);
      try {
        const observation = answer(question, underWay);
        await new Promise((resolve) => setImmediate(resolve));
        return observation;
      } finally {
        underWay--;
      }
    },
    ...parts,
  };
  return examination;
}

describe('concurrency', () => {
  it('goes 1, 2, 4 … up to what the offer says', () => {
    expect([1, 2, 3, 8, 64, 100].map(stepsUpTo)).toEqual([
      [1],
      [1, 2],
      [1, 2, 3],
      [1, 2, 4, 8],
      [1, 2, 4, 8, 16, 32, 64],
      [1, 2, 4, 8, 16, 32, 64, 100],
    ]);
  });

  it('holds all that is offered', async () => {
    const examination = examinationOf(() => replied());
    expect(await concurrency.run(examination)).toEqual({
      passed: true,
      figures: { held: 8, firstTokenMs: 150 },
    });
    expect([examination.asked.length, examination.peak]).toEqual([15, 8]);
  });

  it('is certified for the largest step that held', async () => {
    const examination = examinationOf((_, underWay) => (underWay > 3 ? full : replied()));
    expect(await concurrency.run(examination)).toEqual({
      passed: true,
      figures: { held: 2, firstTokenMs: 150 },
      message:
        'Asked for 4 replies at once, it answered with status 429: too many requests; 2 of 8 at once held.',
    });
  });

  it('looks longer where it may be a queue, and goes on where it is none', async () => {
    // So slow for a moment that short replies do not overlap; longer ones do.
    const examination = examinationOf(({ maxTokens }, underWay) =>
      maxTokens < 10
        ? replied({}, { firstTokenMs: 400 * underWay, totalMs: 400 * underWay + 60 })
        : replied({}, { firstTokenMs: 400 * underWay, totalMs: 9_000 }),
    );
    expect((await concurrency.run(examination)).figures.held).toBe(8);
  });

  it('believes short replies no further than longer ones', async () => {
    const examination = examinationOf(({ maxTokens }, underWay) =>
      maxTokens > 10 && underWay > 4 ? full : replied(),
    );
    expect((await concurrency.run(examination)).figures.held).toBe(4);
  });

  it('takes thoughts that nobody sees for an answer of a model that thinks', async () => {
    const silent = replied({ content: '', finishReason: 'length', outputBytes: 0 });
    const ofThinker = examinationOf(() => silent, { terms: { ...TERMS, reasoning: true } });
    expect((await concurrency.run(ofThinker)).figures.held).toBe(8);
    expect((await concurrency.run(examinationOf(() => silent))).passed).toBe(false);
  });

  it('tries a step again that met a hiccup', async () => {
    let hiccups = 1;
    const examination = examinationOf((_, underWay) => (underWay === 4 && hiccups-- > 0 ? full : replied()));
    expect((await concurrency.run(examination)).figures.held).toBe(8);
  });

  it('is not fooled by a queue: what is served at once begins before another ends', async () => {
    const began = (firstTokenMs: number) => replied({}, { firstTokenMs, totalMs: firstTokenMs + 900 });
    const queueing = examinationOf((_, underWay) => began(100 + 1_000 * Math.floor((underWay - 1) / 2)));
    expect(await concurrency.run(queueing)).toEqual({
      passed: true,
      figures: { held: 2, firstTokenMs: 100 },
      message:
        'Asked for 4 replies at once, it let some wait until others had ended (first token after 1100 ms); ' +
        '2 of 8 at once held.',
    });
    // Slow to begin, but all at once; and fast, one after the other.
    const slow = examinationOf((_, underWay) =>
      replied({}, { firstTokenMs: 400 * underWay, totalMs: 9_000 }),
    );
    expect((await concurrency.run(slow)).figures.held).toBe(8);
    const fast = examinationOf((_, underWay) =>
      replied({}, { firstTokenMs: 50 * underWay, totalMs: 50 * underWay + 10 }),
    );
    expect((await concurrency.run(fast)).figures.held).toBe(8);
  });

  it('fails where not even one is served', () => {
    expect(judgeConcurrency([], [full], TERMS)).toMatchObject({
      passed: false,
      message: 'Asked for 1 replies at once, it answered with status 429: too many requests.',
    });
  });

  it('concludes nothing against it from our own want of room', async () => {
    const crowded = (most: number) =>
      examinationOf((_, underWay) => {
        if (underWay > most) throw new ProbeInterruptedError('no_capacity');
        return replied();
      });
    expect(await concurrency.run(crowded(2))).toEqual({
      passed: true,
      figures: { held: 2, firstTokenMs: 150 },
      message: 'Asked for 8 replies at once, the marketplace had no room to try; 2 of 8 at once held.',
    });
    await expect(concurrency.run(crowded(0))).rejects.toThrow(ProbeInterruptedError);
  });
});

describe('disconnect', () => {
  const left = observationOf({ outcome: 'left' });
  const figuresOf = () => ({ held: 4, firstTokenMs: 200 });

  it('fills the places that held, and asks anew at once', async () => {
    const examination = examinationOf(({ until }) => (until === 'first_token' ? left : replied()), {
      figuresOf,
    });
    expect(await disconnect.run(examination)).toEqual({
      passed: true,
      figures: { places: 4, firstTokenMs: 150 },
    });
    expect(examination.asked.map(({ until = 'end' }) => until)).toEqual([
      ...Array.from({ length: 4 }, () => 'first_token'),
      ...Array.from({ length: 4 }, () => 'end'),
    ]);
  });

  it('gives it a moment to notice', async () => {
    let busy = 5;
    const examination = examinationOf(({ until }) => (until ? left : busy-- > 0 ? full : replied()), {
      figuresOf,
    });
    expect((await disconnect.run(examination)).passed).toBe(true);
  });

  describe('where long streams are refused', () => {
    const tooLong = failing('request_refused', { status: 400 });

    it('is not passed: nothing was hung up on', async () => {
      const examination = examinationOf(({ until }) => (until ? tooLong : replied()), { figuresOf });
      const verdict = await disconnect.run(examination);
      expect(verdict).toEqual({
        passed: false,
        figures: { places: 4 },
        message:
          'Asked for 4 long streams at once, to hang up on after the first token, ' +
          'it answered with status 400: whether it goes on generating for nobody could not be seen.',
      });
      expect(examination.asked.every(({ until }) => until === 'first_token')).toBe(true);
    });

    it('asks again where one met a place that was not free yet, and later where all do', async () => {
      let busy = 1;
      const soon = examinationOf(({ until }) => (until && busy-- > 0 ? full : until ? left : replied()), {
        figuresOf,
      });
      expect((await disconnect.run(soon)).passed).toBe(true);
      const never = examinationOf(({ until }) => (until ? full : replied()), { figuresOf });
      expect(await disconnect.run(never)).toMatchObject({ passed: false, passing: { isAbsence: false } });
    });

    it('has its places filled again when it has noticed that the streams before were hung up on', async () => {
      const NOTICES_AFTER_MS = 900;
      let nowMs = 0;
      // The last place has one more stream from before; the one that then fills it alone must not be in the way of the third try.
      const freeAtMs = [0, 0, 0, 400];
      const slow = examinationOf(
        ({ until }) => {
          const place = freeAtMs.findIndex((freeMs) => freeMs <= nowMs);
          if (place === -1) return full;
          if (!until) return replied();
          freeAtMs[place] = nowMs + NOTICES_AFTER_MS;
          return left;
        },
        {
          figuresOf,
          pause(ms) {
            nowMs += ms;
            return Promise.resolve();
          },
        },
      );
      expect(await disconnect.run(slow)).toMatchObject({ passed: true, figures: { places: 4 } });
    });

    it.each(['first_token_timeout', 'total_timeout'])(
      'takes what kept its place until it was hung up on for a stream (%s): it may think, or let requests wait',
      async (reason) => {
        const late = failing(reason);
        const examination = examinationOf(({ until }) => (until ? late : replied()), { figuresOf });
        expect((await disconnect.run(examination)).passed).toBe(true);
      },
    );
  });

  it('fails a server that goes on: full, or slow', async () => {
    const examination = examinationOf(({ until }) => (until ? left : full), { figuresOf });
    expect(await disconnect.run(examination)).toMatchObject({
      passed: false,
      message:
        'After 4 long streams were hung up on, asked for as many new replies, it answered with status 429: too many requests: ' +
        'it goes on generating for nobody.',
    });
    const slow = times(4, replied({}, { firstTokenMs: 1_601 }));
    expect(judgeDisconnect(slow, 1_600, TERMS)).toMatchObject({
      passed: false,
      message: expect.stringContaining('the first token took 1601 ms instead of at most 1600 ms') as string,
    });
  });
});
