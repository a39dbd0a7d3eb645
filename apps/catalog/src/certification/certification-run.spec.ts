import { RUN_BODY_FIELDS } from '@svc/contracts';
import type { CertifiedScope, ModelCapabilities, ProbeCallRequest, ProbeObservation } from '@svc/contracts';
import { probesOf } from '../certification-queue/probe-names';
import { CapacityTurns } from './capacity-turns';
import { CertificationRun } from './certification-run';
import type { ProbeEnd, RunJob } from './certification-run.store';
import type { ProbeCaller } from './probe-caller.service';
import { ProbeInterruptedError } from './probe-interrupted.error';
import { TERMS, failing } from './probes/observation.for-spec';
import { RunClock } from './run-clock';
import { observeSmallModel } from './small-model.for-spec';

const clocks: RunClock[] = [];

afterEach(() => {
  for (const clock of clocks.splice(0)) clock.stop();
  jest.useRealTimers();
});

const CEILING: ModelCapabilities = {
  workload: 'chat',
  tools: true,
  structuredOutputs: true,
  reasoning: false,
  streaming: true,
  maxOutputTokens: 4_096,
};

function jobOf(changes: Partial<RunJob> = {}): RunJob {
  return {
    id: 'cert_1',
    offerId: 'ofr_1',
    version: 1,
    kind: 'full',
    startedAt: new Date(),
    workedMs: 0,
    busyTimes: 0,
    seed: 'seed',
    isServing: false,
    offer: {
      endpoint: { provider: `0x${'a'.repeat(40)}`, endpoint: 'https://a.example/v1', upstreamModel: 'tiny' },
      terms: {
        ...TERMS,
        concurrency: 4,
        maxArgumentBytes: 1_024,
        reasoning: changes.ceiling?.reasoning ?? false,
      },
    },
    ceiling: CEILING,
    probes: probesOf(changes.kind ?? 'full').map((probe) => ({
      ...probe,
      status: 'pending',
      message: null,
      figures: {},
    })),
    ...changes,
  };
}

type Answer = (
  request: ProbeCallRequest,
  signal: AbortSignal,
) => ProbeObservation | Promise<ProbeObservation>;

/** Calls that are not answered. */
let drips = 0;

/** Never answers; ends when nobody waits any more, as the real caller does. */
const dripping: Answer = (_, signal) =>
  new Promise((_resolve, reject) => {
    drips++;
    const giveUp = () => {
      drips--;
      reject(new ProbeInterruptedError('away'));
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp);
  });

/** Works until the end; time passes while nothing goes on but what is not answered, however long the machine takes for the rest. */
async function patiently<T>(run: { work(): Promise<T> }): Promise<T> {
  let isOver = false;
  const work = run.work().finally(() => (isOver = true));
  while (!isOver) {
    await new Promise(setImmediate);
    if (drips > 0) jest.advanceTimersByTime(1_000);
  }
  return work;
}

function runOf(job: RunJob, answer: Answer, { runMs = 60_000, probeMs = 60_000, serves = false } = {}) {
  const ends = new Map<string, ProbeEnd>();
  const postponed = new Map<string, Omit<ProbeEnd, 'status'>>();
  const caller = {
    call: async (request: ProbeCallRequest, { signal }: { signal: AbortSignal }) => answer(request, signal),
    ping: () => Promise.resolve({ alive: true, status: 200, ms: 5 }),
  } as unknown as ProbeCaller;
  const clock = new RunClock(runMs, job.workedMs);
  clocks.push(clock);
  const run = new CertificationRun(job, {
    store: {
      begin: () => Promise.resolve(),
      end: () => Promise.resolve(),
      postpone: (_id, name, end) => {
        postponed.set(name, end);
        return Promise.resolve();
      },
    },
    caller,
    turns: new CapacityTurns(),
    clock,
    probeTimeoutMs: probeMs,
    servesClients: () => serves,
    signal: new AbortController().signal,
    onProbeEnd: (name, end) => ends.set(name, end),
  });
  return { run, ends, postponed };
}

/** Whose probes have been tried again in vain as often as they are. */
function triedOften(tries = 2): RunJob {
  const job = jobOf();
  return { ...job, probes: job.probes.map((probe) => ({ ...probe, figures: { tries } })) };
}

const isCounting = ({ maxTokens }: ProbeCallRequest) => maxTokens === 4 || maxTokens === 32;

describe('an endpoint that drags its feet', () => {
  beforeEach(() => {
    drips = 0;
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });

  it('is refused when the whole run takes too long, by the probe that was under way', async () => {
    const { run, ends } = runOf(
      jobOf(),
      (request, signal) => (isCounting(request) ? dripping(request, signal) : observeSmallModel(request)),
      { runMs: 60_000 },
    );
    expect(await patiently(run)).toEqual({
      probe: 'concurrency',
      message: 'The run had not come to an end after 60 s: concurrency was under way for 60 s.',
    });
    expect(ends.get('concurrency')?.status).toBe('failed');
    expect(ends.get('agentic')).toMatchObject({ status: 'skipped', message: 'not run: concurrency failed' });
  });

  it('is refused by one probe that takes too long, and gets less where that one is not required', async () => {
    const counting = runOf(
      jobOf(),
      (request, signal) => (isCounting(request) ? dripping(request, signal) : observeSmallModel(request)),
      { probeMs: 20_000 },
    );
    expect(await patiently(counting.run)).toEqual({
      probe: 'concurrency',
      message: 'It had not come to an end after 20 s.',
    });
    const tools = runOf(
      jobOf(),
      (request, signal) => ('tools' in request.body ? dripping(request, signal) : observeSmallModel(request)),
      { probeMs: 20_000, runMs: 600_000 },
    );
    expect(await patiently(tools.run)).toBeUndefined();
    expect(tools.ends.get('tool_auto')?.status).toBe('failed');
  });

  it('has the time that it took before counted', async () => {
    const { run } = runOf(jobOf({ workedMs: 60_000 }), observeSmallModel);
    expect(await run.work()).toMatchObject({
      probe: 'plain_text',
      message: 'The run had not come to an end after 60 s: plain_text had not begun.',
    });
  });
});

describe('a version that serves while it is certified anew', () => {
  const certified = { concurrency: 4, toolContract: null } as unknown as CertifiedScope;
  const full = failing('status_429', { status: 429 });
  const busy: Answer = (request) => (isCounting(request) ? full : observeSmallModel(request));
  const serving = (busyTimes: number) => jobOf({ isServing: true, certified, busyTimes });

  it('waits for a calmer moment', async () => {
    await expect(runOf(serving(0), busy).run.work()).rejects.toMatchObject({ interruption: 'busy' });
    // Full without saying so.
    const queueing: Answer = (request) =>
      isCounting(request) ? failing('first_token_timeout') : observeSmallModel(request);
    await expect(runOf(serving(2), queueing).run.work()).rejects.toMatchObject({ interruption: 'busy' });
  });

  it('keeps what was certified where none comes, and gains what it could not do before', async () => {
    const { run, ends } = runOf(serving(3), busy);
    expect(await run.work()).toBeUndefined();
    expect(ends.get('concurrency')).toMatchObject({
      status: 'passed',
      figures: { held: 4 },
      message: expect.stringMatching(/what was certified stands\.$/) as string,
    });
    expect(ends.get('disconnect')?.status).toBe('passed');
    expect(ends.get('tool_auto')?.status).toBe('passed');
  });

  it('is judged by other probes as long as it serves nobody', async () => {
    await expect(runOf(serving(3), () => full, { serves: true }).run.work()).rejects.toMatchObject({
      interruption: 'busy',
    });
    const { probes } = triedOften();
    expect(await runOf({ ...serving(3), probes }, () => full).run.work()).toMatchObject({
      probe: 'plain_text',
    });
  });

  it('is no reason to spare a new one', async () => {
    expect(await runOf(triedOften(), busy).run.work()).toMatchObject({ probe: 'concurrency' });
  });
});

/** Thinks before it answers, keeps its thoughts to itself, and is paid for them; as servers do that hide them. */
function observeThinker(request: ProbeCallRequest): ProbeObservation {
  const thoughts = 300;
  const left = request.maxTokens - thoughts;
  const observation = observeSmallModel({ ...request, maxTokens: Math.max(1, left) });
  const { reply } = observation;
  if (!reply) return observation;
  if (left <= 0) {
    const usage = { promptTokens: 9, completionTokens: request.maxTokens };
    return {
      ...observation,
      reply: { ...reply, content: '', finishReason: 'length', outputBytes: 0, usage },
    };
  }
  const usage = reply.usage && { ...reply.usage, completionTokens: reply.usage.completionTokens + thoughts };
  return { ...observation, reply: { ...reply, ...(usage && { usage }) } };
}

describe('what an endpoint is asked', () => {
  it('has its fields in the order in which the gateway writes clients’', async () => {
    const asked: string[][] = [];
    const observe: Answer = (request) => {
      asked.push(Object.keys(request.body));
      return observeSmallModel(request);
    };
    await runOf(jobOf(), observe).run.work();
    for (const fields of asked)
      expect(fields).toEqual(RUN_BODY_FIELDS.filter((field) => fields.includes(field)));
    expect(new Set(asked.flat()).size).toBeGreaterThan(5);
  });
});

describe('a model that thinks before it answers', () => {
  it('passes all, where its definition says that it does', async () => {
    const { run, ends } = runOf(jobOf({ ceiling: { ...CEILING, reasoning: true } }), observeThinker);
    expect(await run.work()).toBeUndefined();
    expect([...ends].filter(([, { status }]) => status !== 'passed')).toEqual([]);
    expect(await runOf(jobOf(), observeThinker).run.work()).toBeDefined();
  });

  it('is not asked without any chance', async () => {
    const asked: ProbeCallRequest[] = [];
    const observe: Answer = (request) => {
      asked.push(request);
      return observeThinker(request);
    };
    await runOf(jobOf({ ceiling: { ...CEILING, reasoning: true } }), observe).run.work();
    expect(asked.some(({ body }) => 'temperature' in body || 'seed' in body)).toBe(false);
  });
});

describe('what may pass', () => {
  const loading = failing('status_5xx', { status: 503 });

  it('is asked again before it refuses: llama.cpp that loads its model', async () => {
    const { run, postponed } = runOf(jobOf(), () => loading);
    await expect(run.work()).rejects.toMatchObject({ interruption: 'passing', wait: { tries: 1 } });
    expect(postponed.get('plain_text')).toMatchObject({
      message: 'Asked for a short text, it answered with status 503. It is tried again.',
      figures: { tries: 1 },
    });
    await expect(runOf(triedOften(1), () => loading).run.work()).rejects.toMatchObject({
      wait: { tries: 2 },
    });
    expect(await runOf(triedOften(2), () => loading).run.work()).toEqual({
      probe: 'plain_text',
      message: 'Asked for a short text, it answered with status 503. It was tried 3 times.',
      isPassing: true,
    });
    const { run: later, ends } = runOf(triedOften(2), observeSmallModel);
    expect(await later.work()).toBeUndefined();
    expect(ends.get('plain_text')).toMatchObject({ status: 'passed', figures: { tries: 3 } });
  });

  it('is waited for once where nobody is there, and not at all where it will be the same', async () => {
    const gone = failing('connect_failed', { status: undefined });
    await expect(runOf(jobOf(), () => gone).run.work()).rejects.toMatchObject({ interruption: 'passing' });
    expect(await runOf(triedOften(1), () => gone).run.work()).toMatchObject({ probe: 'plain_text' });
    for (const lasting of [failing('redirect', { status: 302 }), failing('status_5xx', { status: 500 })]) {
      expect(await runOf(jobOf(), () => lasting).run.work()).toMatchObject({ probe: 'plain_text' });
    }
  });

  it('does not shrink a contract before it was tried once more', async () => {
    const hiccup: Answer = (request) => ('tools' in request.body ? loading : observeSmallModel(request));
    const { run, postponed } = runOf(jobOf(), hiccup);
    await expect(run.work()).rejects.toMatchObject({ interruption: 'passing' });
    expect([...postponed.keys()].sort()).toEqual([
      'tool_auto',
      'tool_function',
      'tool_none',
      'tool_required',
    ]);
    const { run: later, ends } = runOf(triedOften(1), hiccup);
    expect(await later.work()).toBeUndefined();
    expect(ends.get('tool_auto')?.status).toBe('failed');
  });

  it('keeps no run waiting that is refused all the same', async () => {
    const answer: Answer = (request) => {
      if ('tools' in request.body) return loading;
      return 'stop' in request.body ? failing('not_json', {}, 'invalid') : observeSmallModel(request);
    };
    expect(await runOf(jobOf(), answer).run.work()).toMatchObject({ probe: 'stop' });
  });

  it('says nothing of a canary, whose failures are counted elsewhere', async () => {
    expect(await runOf(jobOf({ kind: 'canary' }), () => loading).run.work()).toMatchObject({
      probe: 'plain_text',
    });
  });
});

describe('a fault of our own that does not go away', () => {
  it('is tried five times, then said', async () => {
    const faulty: Answer = () => Promise.reject(new ProbeInterruptedError('fault'));
    const job = jobOf();
    const after = (faults: number) => ({
      ...job,
      probes: job.probes.map((probe) => ({ ...probe, figures: { faults } })),
    });
    const { run, postponed } = runOf(after(3), faulty);
    await expect(run.work()).rejects.toMatchObject({ interruption: 'fault' });
    expect(postponed.get('plain_text')?.figures).toMatchObject({ faults: 4 });
    expect(await runOf(after(4), faulty).run.work()).toEqual({
      probe: 'plain_text',
      message: expect.stringMatching(/^The marketplace could not put its question/) as string,
    });
  });
});

/** Writes so slowly that a reply in one piece takes longer than its first token may. */
const observeSlowly: Answer = (request) =>
  request.stream ? observeSmallModel(request) : failing('first_token_timeout', { status: undefined });

describe('a slow server', () => {
  it('is asked for streams, as it will be for clients; after the first probe at once', async () => {
    const asked: ProbeCallRequest[] = [];
    const { run, ends } = runOf(jobOf(), (request, signal) => {
      asked.push(request);
      return observeSlowly(request, signal);
    });
    expect(await run.work()).toBeUndefined();
    expect([...ends].filter(([, { status }]) => status !== 'passed')).toEqual([]);
    expect(ends.get('plain_text')?.figures).toMatchObject({ streamedInstead: 1 });
    expect(asked.filter(({ stream }) => !stream)).toHaveLength(1);
    expect(asked.filter(({ body }) => 'stop' in body)).toHaveLength(1);
  });

  it('that is fast enough for a few words only is asked for streams where it has to be', async () => {
    const { run, ends } = runOf(jobOf(), (request, signal) =>
      'response_format' in request.body ? observeSlowly(request, signal) : observeSmallModel(request),
    );
    expect(await run.work()).toBeUndefined();
    expect(ends.get('response_format')).toMatchObject({ status: 'passed', figures: { streamedInstead: 1 } });
    expect(ends.get('plain_text')?.figures).not.toHaveProperty('streamedInstead');
  });

  it('has a second for each token, up to the most a call may take', async () => {
    const asked: ProbeCallRequest[] = [];
    await runOf(jobOf(), (request) => {
      asked.push(request);
      return observeSmallModel(request);
    }).run.work();
    const most = (maxTokens: number) => asked.find((request) => request.maxTokens === maxTokens)?.timeoutMs;
    const { firstTokenTimeoutMs, chunkTimeoutMs, callTimeoutMs } = TERMS;
    expect([most(16), most(1_024)]).toEqual([firstTokenTimeoutMs + chunkTimeoutMs + 16_000, callTimeoutMs]);
  });
});

describe('a server that knows one temperature only', () => {
  it('is asked without', async () => {
    const refused = failing('request_refused', { status: 400 });
    const { run, ends } = runOf(jobOf(), (request) =>
      'temperature' in request.body ? refused : observeSmallModel(request),
    );
    expect(await run.work()).toBeUndefined();
    expect(ends.get('plain_text')?.figures).toMatchObject({ withoutTemperature: 1 });
    expect(ends.get('concurrency')).toMatchObject({ status: 'passed', figures: { held: 4 } });
  });
});
