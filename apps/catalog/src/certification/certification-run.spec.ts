import type { CertifiedScope, ModelCapabilities, ProbeCallRequest, ProbeObservation } from '@svc/contracts';
import { CapacityTurns } from './capacity-turns';
import type { ProbeEnd, RunJob } from './certification-run.store';
import { CertificationRun } from './certification-run';
import { ProbeInterruptedError } from './probe-interrupted.error';
import type { ProbeCaller } from './probe-caller.service';
import { probesOf } from './probe-names';
import { TERMS, failing } from './probes/observation.for-spec';
import { RunClock } from './run-clock';
import { observeSmallModel } from './small-model.for-spec';

const clocks: RunClock[] = [];

afterEach(() => {
  for (const clock of clocks.splice(0)) clock.stop();
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

/** Never answers; ends when nobody waits any more, as the real caller does. */
const dripping: Answer = (_, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new ProbeInterruptedError('away')));
  });

function runOf(job: RunJob, answer: Answer, { runMs = 60_000, probeMs = 60_000, serves = false } = {}) {
  const ends = new Map<string, ProbeEnd>();
  const caller = {
    call: async (request: ProbeCallRequest, { signal }: { signal: AbortSignal }) => answer(request, signal),
  } as unknown as ProbeCaller;
  const clock = new RunClock(runMs, job.workedMs);
  clocks.push(clock);
  const run = new CertificationRun(job, {
    store: { begin: () => Promise.resolve(), end: () => Promise.resolve() },
    caller,
    turns: new CapacityTurns(),
    clock,
    probeTimeoutMs: probeMs,
    servesClients: () => serves,
    signal: new AbortController().signal,
    onProbeEnd: (name, end) => ends.set(name, end),
  });
  return { run, ends };
}

const isCounting = ({ maxTokens }: ProbeCallRequest) => maxTokens === 4 || maxTokens === 32;

describe('an endpoint that drags its feet', () => {
  it('is refused when the whole run takes too long, by the probe that was under way', async () => {
    const { run, ends } = runOf(
      jobOf(),
      (request, signal) => (isCounting(request) ? dripping(request, signal) : observeSmallModel(request)),
      { runMs: 150 },
    );
    expect(await run.work()).toEqual({
      probe: 'concurrency',
      message: expect.stringMatching(
        /^The run had not come to an end after 0 s: concurrency was under way for 0 s\.$/,
      ) as string,
    });
    expect(ends.get('concurrency')?.status).toBe('failed');
    expect(ends.get('agentic')).toMatchObject({ status: 'skipped', message: 'not run: concurrency failed' });
  });

  it('is refused by one probe that takes too long, and gets less where that one is not required', async () => {
    const counting = runOf(
      jobOf(),
      (request, signal) => (isCounting(request) ? dripping(request, signal) : observeSmallModel(request)),
      { probeMs: 150 },
    );
    expect(await counting.run.work()).toEqual({
      probe: 'concurrency',
      message: 'It had not come to an end after 0 s.',
    });
    const tools = runOf(
      jobOf(),
      (request, signal) => ('tools' in request.body ? dripping(request, signal) : observeSmallModel(request)),
      { probeMs: 300 },
    );
    expect(await tools.run.work()).toBeUndefined();
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
    expect(await runOf(serving(3), () => full).run.work()).toMatchObject({ probe: 'plain_text' });
  });

  it('is no reason to spare a new one', async () => {
    expect(await runOf(jobOf(), busy).run.work()).toMatchObject({ probe: 'concurrency' });
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
