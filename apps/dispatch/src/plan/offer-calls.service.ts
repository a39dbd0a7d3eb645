import { Injectable } from '@nestjs/common';
import { Breakers } from '../breaker/breakers.service';
import type { Candidate } from '../offers/offer-entrance.service';
import { OfferLoad } from '../offers/offer-load.service';
import { invalid } from '../provider-client/provider-failure';
import type { Run } from '../live-run/run';
import type { ReplyOutput } from '../live-run/run-output';
import type { ChunkWriter } from '../validation/chunk-writer';
import type { Attempt, AttemptOutcome } from '../attempt/attempt';
import { AttemptNotes } from './attempt-notes.service';
import { AttemptFactory } from '../attempt/attempt.factory';
import { chunkWriter, plannedAttempt } from './planned-attempt';

/** How a call to an offer is made. */
export interface CallOptions {
  /** Where its text goes. */
  output: Pick<ReplyOutput, 'blocked' | 'keptBytes' | 'flushSoon' | 'write'>;
  /** Ask for a stream in any case: nothing else shows its first token. */
  alwaysStreamed: boolean;
  onStart?: (attempt: Attempt) => void;
  onFirstToken?: () => void;
  /** Whether somebody else can be asked unseen, should the reply leave something to be wished. */
  mayPassOn: () => boolean;
}

/** What came of asking one offer. */
export type Asked = AttemptOutcome & {
  /** Of streams: has passed on what could be passed on as it came. */
  writer: ChunkWriter | undefined;
  /** A reply that counts as failed, and may be delivered all the same where nobody says more. */
  spare?: ServedAttempt;
};

type ServedAttempt = Extract<AttemptOutcome, { kind: 'served' }>;

/** Asks one offer for what a run wants. */
@Injectable()
export class OfferCalls {
  constructor(
    private readonly load: OfferLoad,
    private readonly attempts: AttemptFactory,
    private readonly breakers: Breakers,
    private readonly notes: AttemptNotes,
  ) {}

  /**
   * A reply that may take longer than the first token's time is asked for as a stream even when the client wants it in one
   * piece: a plain reply shows no sign of life until it is complete, so a slow offer could not be told from a dead one.
   */
  async ask(run: Run, candidate: Candidate, options: CallOptions): Promise<Asked> {
    const { offerId, firstTokenTimeoutMs } = candidate.offer;
    const { stream, maxTokens } = run.request;
    const streamed = stream || options.alwaysStreamed;
    let asked: Asked;
    if (streamed || !this.load.writesWithin(offerId, maxTokens, firstTokenTimeoutMs)) {
      asked = await this.call(run, candidate, options, { streamed: true });
    } else {
      asked = await this.call(run, candidate, options, { streamed: false });
      if (asked.kind === 'failed' && asked.failure.reason === 'first_token_timeout') {
        this.load.forgetSpeed(offerId);
        asked = await this.call(run, candidate, options, { streamed: true });
      }
    }
    if (asked.kind === 'failed') this.notes.failed(run, candidate, asked.failure);
    else if (asked.kind === 'stopped') this.notes.stopped(candidate);
    return asked;
  }

  private async call(
    run: Run,
    candidate: Candidate,
    { output, onStart, onFirstToken, mayPassOn }: CallOptions,
    { streamed }: { streamed: boolean },
  ): Promise<Asked> {
    const { planned, passage, offer } = candidate;
    const writer = run.request.stream ? chunkWriter(run, planned, output.write) : undefined;
    const attempt = this.attempts.start({
      ...plannedAttempt(run, candidate, streamed),
      output,
      sink: writer,
      onProgress: this.load.pulseOf(offer.offerId),
      onFirstToken: () => {
        this.breakers.makeWay(offer.offerId, passage);
        onFirstToken?.();
      },
      onSlowReader: () => run.stop('slow_reader'),
    });
    onStart?.(attempt);
    run.follow(attempt);
    const outcome = deliverable(run, await attempt.outcome.finally(() => run.unfollow(attempt)));
    if (outcome.kind !== 'served') return { ...outcome, writer };
    const { lack } = outcome.reply;
    // What has been written is no part of the reply any more: it could not be told again in another's stead.
    if (lack && !writer?.hasBegun && mayPassOn()) {
      this.notes.claimed(run, offer.offerId, outcome.reply);
      return { kind: 'failed', failure: invalid(lack), writer, spare: outcome };
    }
    this.notes.served(run, candidate, streamed, outcome);
    return { ...outcome, writer };
  }
}

/** A reply that is too large to be handed on counts as failed: another provider may be briefer. */
function deliverable(run: Run, outcome: AttemptOutcome): AttemptOutcome {
  if (outcome.kind !== 'served' || run.hasRoomFor(outcome.reply)) return outcome;
  return { kind: 'failed', failure: invalid('undeliverable') };
}
