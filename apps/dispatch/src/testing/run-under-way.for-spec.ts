import { decodeFrame } from '@svc/contracts';
import type { RunFrame, StartRunRequest } from '@svc/contracts';
import { FrameClock } from '../live-run/frame-clock';
import { Run } from '../live-run/run';
import type { FrameSender, ReplyOutput } from '../live-run/run-output';
import type { Metered } from '../metering/meter';
import type { ServedOutcome, StoppedOutcome } from '../plan/plan-outcome';
import { PlanTrail } from '../plan/plan-trail';
import { chunkWriter } from '../plan/planned-attempt';

/** What any reply comes to. */
export const METERED: Metered = {
  promptTokens: 8,
  completionTokens: 4,
  tokenSource: 'counted',
  cost: 12n,
  unpaid: 0n,
};

/**
 * A run whose one attempt is under way, and what it tells.
 * @param outputOf makes its output, @param seen what its client has got by now
 */
export function runUnderWay<Output extends ReplyOutput>(
  request: StartRunRequest,
  outputOf: (sender: FrameSender) => Output,
  seen: string,
) {
  const frames: RunFrame[] = [];
  const deliver = (_subject: string, payload: Uint8Array | string) => {
    const frame = decodeFrame(payload as Uint8Array);
    if (frame) frames.push(frame);
  };
  const output = outputOf({
    publisher: { deliver } as never,
    instanceId: 'abcd1234',
    maxPayloadBytes: () => 1024 * 1024,
    clock: new FrameClock(() => 1),
  });
  const run = new Run(request, 'g', output);
  const [planned] = request.attempts;
  if (!planned) throw new Error('no attempt');
  const [trail, times] = [new PlanTrail(request), { firstTokenMs: 10, totalMs: 20 }];
  trail.noteCall(planned);
  const writer = request.stream ? chunkWriter(run, planned, output.write) : undefined;
  if (seen !== '') writer?.delta(`"content":${JSON.stringify(seen)}`);
  output.flushSoon();
  const reply = {
    ...{ finishReason: 'stop' as const, content: seen, toolCalls: [] },
    ...{ outputBytes: 16, unwantedBytes: 0, unseenBytes: 0 },
  };
  const served: ServedOutcome = { kind: 'served', planned, reply, writer, trail, times };
  const stopped: StoppedOutcome = { kind: 'stopped', planned, passedOnBytes: 16, trail, times };
  const types = () => frames.map(({ type }) => type);
  const last = () => frames.at(-1)?.payload.toString() ?? '';
  return { run, served, stopped, frames, types, last };
}

/** Whatever a run was told by then, its hold is let go of, and its client, who has seen a part, is told nothing of the fault. */
export function expectCrashed(
  crash: (error: unknown) => unknown,
  { run, types, last }: Pick<ReturnType<typeof runUnderWay>, 'run' | 'types' | 'last'>,
  abandon: jest.Mock,
): void {
  expect(crash(new TypeError('a fault'))).toBe('internal_error');
  const failure = expect.objectContaining({ code: 'internal_error' }) as unknown;
  expect(abandon.mock.calls).toEqual([[run.request.hold, 'internal_error', failure]]);
  expect(types()).toEqual(['data', 'failure']);
  expect(last()).toContain('internal_error');
  expect(last()).not.toContain('a fault');
}

export function untouched(...told: jest.Mock[]): void {
  for (const each of told) expect(each).not.toHaveBeenCalled();
}
