import type { RunAttempt } from '@svc/contracts';
import type { ProviderFailure } from '../provider-client/provider-failure';
import type { ChunkWriter } from '../validation/chunk-writer';
import type { WholeReply } from '../validation/whole-reply';
import type { PlanTrail } from './plan-trail';

export interface ServedOutcome {
  kind: 'served';
  planned: RunAttempt;
  reply: WholeReply;
  /** Of streams: has passed on what could be passed on as it came. */
  writer: ChunkWriter | undefined;
  /** What became of the plan's attempts, the serving one included. */
  trail: PlanTrail;
  times: RunTimes;
}

/** Since the run began, its failed attempts included; milliseconds. */
export interface RunTimes {
  /** To the first token of the attempt that served; of a reply that came in one piece, to its end. */
  firstTokenMs: number | undefined;
  totalMs: number;
}

export interface StoppedOutcome {
  kind: 'stopped';
  /** The attempt that was under way, and how much of what the model had written had been passed on by then. */
  planned: RunAttempt | undefined;
  passedOnBytes: number;
  trail: PlanTrail;
  times: RunTimes;
}

export interface FailedOutcome {
  kind: 'failed';
  /** Of each offer that could not serve, with the time after which it may be asked again. */
  failures: ProviderFailure[];
  trail: PlanTrail;
}

/** How a run's way along its plan ended. */
export type PlanOutcome = ServedOutcome | StoppedOutcome | FailedOutcome;
