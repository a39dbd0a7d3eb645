import { Inject, Injectable } from '@nestjs/common';
import type { RunAttempt } from '@svc/contracts';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { DispatchMetrics } from '../dispatch.metrics';
import { silentTokens } from '../metering/meter';
import { BLAME, invalid, unavailable } from '../provider-client/provider-failure';
import type { ProviderFailure } from '../provider-client/provider-failure';
import { OfferPlaces } from '../places/offer-places.service';
import type { Run } from '../run/run';
import type { ChunkWriter } from '../validation/chunk-writer';
import type { WholeReply } from '../validation/whole-reply';
import type { AttemptOutcome } from './attempt';
import { AttemptFactory } from './attempt.factory';
import { countedFailure } from './blamed-failure';
import { OfferDirectory } from './offer-directory.service';
import { OfferLoad } from './offer-load.service';
import { chunkWriter, plannedAttempt } from './planned-attempt';
import type { Candidate } from './planned-attempt';

export interface ServedOutcome {
  kind: 'served';
  planned: RunAttempt;
  reply: WholeReply;
  /** Of streams: has passed on what could be passed on as it came. */
  writer: ChunkWriter | undefined;
  /** Offers that were asked, the serving one included. */
  attempts: number;
}

export interface StoppedOutcome {
  kind: 'stopped';
  /** The attempt that was under way, and what the model had written by then. */
  planned: RunAttempt | undefined;
  outputBytes: number;
  attempts: number;
}

/** How a run's way along its plan ended. */
export type PlanOutcome = ServedOutcome | StoppedOutcome | { kind: 'failed'; failures: ProviderFailure[] };

const FIRST_LOAD_PATIENCE_MS = 3_000;

type Asked = AttemptOutcome & { writer: ChunkWriter | undefined };

/** Goes along a run's plan until an offer serves, as long as the client has not been given anything. */
@Injectable()
export class AttemptService {
  constructor(
    private readonly offers: OfferDirectory,
    private readonly load: OfferLoad,
    private readonly places: OfferPlaces,
    private readonly attempts: AttemptFactory,
    private readonly metrics: DispatchMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async serve(run: Run): Promise<PlanOutcome> {
    const failures: ProviderFailure[] = [];
    const refusedBy: string[] = [];
    let attempts = 0;
    if (!this.offers.loaded) await this.offers.awaitLoad(FIRST_LOAD_PATIENCE_MS);
    for (const planned of run.request.attempts) {
      if (run.stopReason) break;
      const candidate = this.candidateOf(planned);
      if ('failure' in candidate) {
        failures.push(this.note(run, planned, candidate.failure));
        continue;
      }
      attempts++;
      const asked = await this.ask(run, candidate).finally(() => this.leave(planned.offerId));
      if (asked.kind === 'served') {
        // Somebody can do what they said could not be done.
        for (const offerId of refusedBy) this.load.failed(offerId, { invalid: false });
        return { kind: 'served', planned, reply: asked.reply, writer: asked.writer, attempts };
      }
      if (asked.kind === 'stopped') {
        return { kind: 'stopped', planned, outputBytes: asked.outputBytes, attempts };
      }
      failures.push(this.note(run, planned, asked.failure));
      if (BLAME[asked.failure.reason] === 'ranks_if_served') refusedBy.push(planned.offerId);
      if (run.output.delivered) break;
      run.output.discard();
    }
    if (run.stopReason) return { kind: 'stopped', planned: undefined, outputBytes: 0, attempts };
    return { kind: 'failed', failures };
  }

  /** Takes a place at the offer. */
  private candidateOf(planned: RunAttempt): Candidate | { failure: ProviderFailure } {
    const offer = this.offers.find(planned.offerId);
    // Who is paid is the offer's provider, whatever the plan says.
    if (offer?.provider !== planned.provider) return { failure: unavailable('offer_gone') };
    const { target, problem } = offer.opened;
    if (!target) return { failure: unavailable(problem) };
    if (!this.places.take(offer)) return { failure: { kind: 'busy', reason: 'busy' } };
    this.load.enter(offer.offerId);
    return { planned, offer, target };
  }

  private leave(offerId: string): void {
    this.load.leave(offerId);
    this.places.giveBack(offerId);
  }

  /**
   * A reply that may take longer than the first token's time is asked for as a stream even when the client wants it in one
   * piece: a plain reply shows no sign of life until it is complete, so a slow offer could not be told from a dead one.
   */
  private async ask(run: Run, candidate: Candidate): Promise<Asked> {
    const { offerId, firstTokenTimeoutMs } = candidate.offer;
    const { stream, maxTokens } = run.request;
    if (stream || !this.load.writesWithin(offerId, maxTokens, firstTokenTimeoutMs)) {
      return this.call(run, candidate, true);
    }
    const asked = await this.call(run, candidate, false);
    if (asked.kind !== 'failed' || asked.failure.reason !== 'first_token_timeout') return asked;
    this.load.forgetSpeed(offerId);
    return this.call(run, candidate, true);
  }

  private async call(run: Run, candidate: Candidate, streamed: boolean): Promise<Asked> {
    const { offerId } = candidate.offer;
    const writer = run.request.stream ? chunkWriter(run, candidate.planned) : undefined;
    const job = plannedAttempt(run, candidate, streamed, writer);
    const attempt = this.attempts.start({ ...job, onProgress: this.load.pulseOf(offerId) });
    run.follow(attempt);
    const outcome = deliverable(run, await attempt.outcome.finally(() => run.follow(undefined)));
    if (outcome.kind === 'served') {
      const { reply, firstTokenMs, totalMs, wasPaused } = outcome;
      this.metrics.attemptEnded(offerId, 'served');
      this.load.succeeded(offerId, streamed ? firstTokenMs : undefined);
      this.noteClaim(run, offerId, reply);
      if (streamed) this.metrics.firstTokenAfter(firstTokenMs);
      const writingMs = streamed ? totalMs - firstTokenMs : totalMs;
      if (!wasPaused) this.load.observeSpeed(offerId, reply.outputBytes / 4, writingMs, streamed);
    } else if (outcome.kind === 'stopped') {
      this.metrics.attemptEnded(offerId, 'stopped');
    }
    return { ...outcome, writer };
  }

  /** Bytes are what was seen, tokens what is said; that they go together shows over many replies only. */
  private noteClaim({ request }: Run, offerId: string, { usage, toolCalls, outputBytes }: WholeReply): void {
    if (!usage) return;
    const believable = Math.min(usage.completionTokens, request.maxTokens);
    const tokens = Math.max(believable - silentTokens(toolCalls.length), 0);
    this.load.claimed(offerId, { wallet: request.hold.wallet, tokens, outputBytes });
  }

  private note(run: Run, { offerId }: RunAttempt, failure: ProviderFailure): ProviderFailure {
    const { kind, reason } = failure;
    this.metrics.attemptEnded(offerId, reason);
    const counted = countedFailure(failure, run.request);
    if (counted) this.load.failed(offerId, counted);
    this.logger.info({ requestId: run.id, offerId, kind, reason }, 'attempt failed');
    return failure;
  }
}

/** A reply that is too large to be handed on has failed: another provider may be briefer. */
function deliverable(run: Run, outcome: AttemptOutcome): AttemptOutcome {
  if (outcome.kind !== 'served' || run.hasRoomFor(outcome.reply)) return outcome;
  return { kind: 'failed', failure: invalid('undeliverable') };
}
