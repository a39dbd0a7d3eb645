import type { ReasoningField, StartRunRequest } from '@svc/contracts';
import type { Attempt } from '../attempt/attempt';
import { clientFields } from '../provider-client/request-body';
import { hasThoughts, withThoughtsAs } from '../provider-client/thoughts';
import { replyRulesOf } from '../validation/reply-rules';
import type { ReplyRules } from '../validation/reply-rules';
import type { WholeReply } from '../validation/whole-reply';
import { bodyBytes } from '../validation/reply-size';
import type { ReplyOutput, RunOutput } from './run-output';
import type { SharedOutput } from './shared-output';

/**
 * Why a run was stopped before its end:
 * - `cancelled`: the client hung up; of an idempotent run, its gateway let go of the hold;
 * - `gateway_lost`: its gateway fell silent;
 * - `disconnected`: NATS was lost, so nobody can be told of the outcome;
 * - `slow_reader`: the client took nothing for so long that the provider closed the connection;
 * - `shutdown`: this process had no more time;
 * - `crowded_out`: there was no more room for requests, and its wallet had the most of it;
 * - `stalled`: its gateway has made no room for longer than any client may take nothing;
 * - `overlong`: it exceeded what any run may take.
 */
export type StopReason =
  | 'cancelled'
  | 'gateway_lost'
  | 'disconnected'
  | 'slow_reader'
  | 'shutdown'
  | 'crowded_out'
  | 'stalled'
  | 'overlong';

/** One run under way. */
export class Run<Output extends ReplyOutput = ReplyOutput> {
  readonly startedMs = performance.now();
  /** The first reason wins; set once. */
  stopReason: StopReason | undefined;
  /** Its plan has come to an outcome, of which nobody was told yet: whatever stops it now is too late. */
  isEnding = false;
  /** Under way; more than one while a second offer is asked beside a late one. */
  private readonly attempts = new Set<Attempt>();
  private stopping: AbortController | undefined;
  private fieldsJson: string | undefined;
  private isThoughtful: boolean | undefined;
  private retoldJson: Map<ReasoningField | undefined, string> | undefined;
  private replyRules: ReplyRules | undefined;

  /**
   * @param rawBody `request.body` as JSON, where it is at hand
   * @param requestBytes what the request took as it came
   */
  constructor(
    readonly request: StartRunRequest,
    readonly gatewayId: string,
    readonly output: Output,
    private rawBody?: string,
    readonly requestBytes = 0,
  ) {}

  /** Since it began, milliseconds. */
  get elapsedMs(): number {
    return performance.now() - this.startedMs;
  }

  get id(): string {
    return this.request.requestId;
  }

  /**
   * The client's part of the request to a provider, as JSON.
   * @param reasoningField in which the provider takes back what its model thought; undefined where it does not
   */
  fieldsFor(reasoningField: ReasoningField | undefined): string {
    const { body } = this.request;
    if (!(this.isThoughtful ??= hasThoughts(body))) {
      return (this.fieldsJson ??= clientFields(body, this.rawBody));
    }
    this.retoldJson ??= new Map();
    const fields = this.retoldJson.get(reasoningField) ?? clientFields(withThoughtsAs(body, reasoningField));
    this.retoldJson.set(reasoningField, fields);
    return fields;
  }

  /** Nobody else is likely to be asked: the request as text is made again should it be needed after all. */
  forgetTexts(): void {
    this.rawBody = this.fieldsJson = this.retoldJson = undefined;
  }

  /** The run is over, and kept for its delivery alone. */
  forgetRequest(): void {
    this.forgetTexts();
    this.request.body = {};
  }

  get rules(): ReplyRules {
    return (this.replyRules ??= replyRulesOf(this.request.body));
  }

  /** Whether a checked reply can be handed on; one that cannot is as good as none. */
  hasRoomFor(reply: WholeReply): boolean {
    return this.output.fits(bodyBytes(reply));
  }

  /** Aborted when the run is stopped. */
  get stopSignal(): AbortSignal {
    this.stopping ??= new AbortController();
    if (this.stopReason) this.stopping.abort();
    return this.stopping.signal;
  }

  /** From here on credit and a stop reach the attempt. */
  follow(attempt: Attempt): void {
    this.attempts.add(attempt);
    if (this.stopReason) attempt.stop();
  }

  /** The attempt is over. */
  unfollow(attempt: Attempt): void {
    this.attempts.delete(attempt);
  }

  stop(reason: StopReason): void {
    if (this.stopReason) return;
    // An idempotent run goes on whoever listens.
    if (this.request.idempotent && (reason === 'gateway_lost' || reason === 'disconnected')) return;
    this.stopReason = reason;
    for (const attempt of this.attempts) attempt.stop();
    this.stopping?.abort();
  }

  /** There is room again for what an attempt brings. */
  resume(): void {
    if (this.output.blocked) return;
    for (const attempt of this.attempts) attempt.resume();
  }
}

/** A run whose one client it is for. */
export type SoleRun = Run<RunOutput>;
/** An idempotent run: whoever comes with its key may follow. */
export type SharedRun = Run<SharedOutput>;

export type AnyRun = SoleRun | SharedRun;

export function isShared(run: AnyRun): run is SharedRun {
  return run.request.idempotent === true;
}
