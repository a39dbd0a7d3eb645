import type { StartRunRequest } from '@svc/contracts';
import type { Attempt } from '../attempt/attempt';
import { clientFields } from '../provider-client/request-body';
import { replyRulesOf } from '../validation/reply-rules';
import type { ReplyRules } from '../validation/reply-rules';
import type { RunOutput } from './run-output';

/**
 * Why a run was stopped before its end:
 * - `cancelled`: the client hung up;
 * - `gateway_lost`: its gateway fell silent;
 * - `disconnected`: NATS was lost, so nobody can be told of the outcome;
 * - `shutdown`: this process had no more time;
 * - `overlong`: it exceeded what any run may take.
 */
export type StopReason = 'cancelled' | 'gateway_lost' | 'disconnected' | 'shutdown' | 'overlong';

/** One run under way. */
export class Run {
  readonly startedMs = performance.now();
  /** The first reason wins; set once. */
  stopReason: StopReason | undefined;
  private attempt: Attempt | undefined;
  private fieldsJson: string | undefined;
  private replyRules: ReplyRules | undefined;

  /** @param rawBody `request.body` as JSON, where it is at hand */
  constructor(
    readonly request: StartRunRequest,
    readonly gatewayId: string,
    readonly output: RunOutput,
    private readonly rawBody?: string,
  ) {}

  get id(): string {
    return this.request.requestId;
  }

  /** The client's part of the request to a provider, as JSON. */
  get fields(): string {
    return (this.fieldsJson ??= clientFields(this.request.body, this.rawBody));
  }

  get rules(): ReplyRules {
    return (this.replyRules ??= replyRulesOf(this.request.body));
  }

  /** The attempt that credit and a stop reach. */
  follow(attempt: Attempt | undefined): void {
    this.attempt = attempt;
    if (this.stopReason) attempt?.stop();
  }

  stop(reason: StopReason): void {
    if (this.stopReason) return;
    this.stopReason = reason;
    this.attempt?.stop();
  }

  addCredit(bytes: number): void {
    this.output.addCredit(bytes);
    if (!this.output.blocked) this.attempt?.resume();
  }
}
