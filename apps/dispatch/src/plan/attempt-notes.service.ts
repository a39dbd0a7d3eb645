import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { Breakers } from '../breaker/breakers.service';
import { DispatchMetrics } from '../dispatch.metrics';
import { countedFailure } from '../offers/counted-failure';
import type { Candidate } from '../offers/offer-entrance.service';
import { OfferLoad } from '../offers/offer-load.service';
import type { CountedFailure } from '../offers/offer-tally';
import type { Question } from '../provider-client/may-be-the-request';
import { BLAME } from '../provider-client/provider-failure';
import type { ProviderFailure } from '../provider-client/provider-failure';
import type { Run } from '../live-run/run';
import { silentTokens } from '../validation/reply-size';
import { seenBytes } from '../validation/whole-reply';
import type { WholeReply } from '../validation/whole-reply';
import type { AttemptOutcome } from '../attempt/attempt';

type ServedAttempt = Extract<AttemptOutcome, { kind: 'served' }>;

/** Keeps what became of each attempt: for metrics, for the offers' health, for their breakers. */
@Injectable()
export class AttemptNotes {
  constructor(
    private readonly load: OfferLoad,
    private readonly breakers: Breakers,
    private readonly metrics: DispatchMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @param streamed the provider was asked for a stream */
  served(
    run: Run,
    { offer: { offerId }, passage }: Candidate,
    streamed: boolean,
    served: ServedAttempt,
  ): void {
    const { reply, firstTokenMs, totalMs, wasPaused } = served;
    this.metrics.attemptEnded(offerId, 'served');
    this.breakers.succeeded(offerId, passage);
    this.breakers.takeKeptAway(offerId);
    this.load.succeeded(offerId, streamed ? firstTokenMs : undefined);
    this.claimed(run, offerId, reply);
    if (streamed) this.metrics.firstTokenAfter(firstTokenMs);
    const writingMs = streamed ? totalMs - firstTokenMs : totalMs;
    if (!wasPaused) this.load.observeSpeed(offerId, seenBytes(reply) / 4, writingMs, streamed);
  }

  /** The attempt was wanted no more; that says nothing of the offer. */
  stopped({ offer: { offerId }, passage }: Candidate): void {
    this.metrics.attemptEnded(offerId, 'stopped');
    this.breakers.makeWay(offerId, passage);
  }

  failed(run: Run, { offer, passage }: Candidate, failure: ProviderFailure): void {
    const { offerId, certified } = offer;
    this.breakers.failed(offerId, passage, failure, { request: run.request, certified });
    const counted = this.note(run, offerId, failure, certified);
    const keptAway = this.breakers.takeKeptAway(offerId);
    if (counted?.blamedBy === undefined) return;
    // A breaker must not hide from whoever judges the offer how long it has failed.
    for (const wallet of keptAway) this.load.failed(offerId, { ...counted, blamedBy: wallet });
  }

  /** The offer was not asked. */
  notAsked(run: Run, offerId: string, failure: ProviderFailure): void {
    if (failure.reason === 'breaker_open') this.breakers.keptAway(offerId, run.request.hold.wallet);
    this.note(run, offerId, failure);
  }

  /** Somebody else could do what this offer said could not be done. */
  provedWrong(offerId: string, { reason }: ProviderFailure): void {
    if (BLAME[reason] === 'ranks_if_served') this.load.failed(offerId, { invalid: false });
  }

  /**
   * What a whole reply claims. Bytes are what was seen, tokens what is said; that they go together shows over many replies only. A client
   * may have asked for what nobody sees: beside such no more is held against the claim than is paid for.
   */
  claimed({ request }: Run, offerId: string, reply: WholeReply): void {
    const { usage, unseenBytes } = reply;
    if (!usage) return;
    const outputBytes = seenBytes(reply);
    const silent = silentTokens(reply.toolCalls.length);
    const most = unseenBytes === 0 ? request.maxTokens : Math.min(request.maxTokens, outputBytes + silent);
    const tokens = Math.max(Math.min(usage.completionTokens, most) - silent, 0);
    this.load.claimed(offerId, { wallet: request.hold.wallet, tokens, outputBytes });
  }

  private note(
    run: Run,
    offerId: string,
    failure: ProviderFailure,
    certified?: Question['certified'],
  ): CountedFailure | undefined {
    const { kind, reason } = failure;
    this.metrics.attemptEnded(offerId, reason);
    const counted = countedFailure(failure, { request: run.request, certified });
    if (counted) this.load.failed(offerId, counted);
    // What is busy or open is so for many runs at once.
    if (reason !== 'busy' && reason !== 'breaker_open') {
      this.logger.info({ requestId: run.id, offerId, kind, reason }, 'attempt failed');
    }
    return counted;
  }
}
