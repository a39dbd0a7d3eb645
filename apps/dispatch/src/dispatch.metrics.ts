import { Inject, Injectable } from '@nestjs/common';
import type { FailureReason } from '@svc/contracts';
import { Counter, Histogram, METRICS_REGISTRY } from '@svc/observability';
import type { MetricsRegistry } from '@svc/observability';
import { liveGauge } from './live-gauge';

/** Figures that are read when somebody asks for the metrics. */
interface LiveFigures {
  runsInFlight(): number;
  deliveriesPending(): number;
  settlementsPending(): number;
}

/** How a run ended, for metrics. */
export type RunOutcome =
  | 'completed'
  | 'invalid_request'
  | 'no_capacity'
  | 'provider_output_invalid'
  | 'internal_error'
  | 'cancelled'
  | 'aborted';

/** The labels under which an offer was counted. */
interface OfferSeries {
  readonly attempts: Set<string>;
  readonly breakers: Set<string>;
  readonly usage: Set<string>;
  /** Since when it is not offered. */
  goneMs: number | undefined;
}

/** Figures of an offer that is gone stay so long: they are read some time later, and it may come back. */
const GONE_KEPT_MS = 900_000;

/** What dispatch counts. Labels come from closed sets, or from the catalogue. */
@Injectable()
export class DispatchMetrics {
  private readonly runs: Counter<'outcome'>;
  private readonly refused: Counter<'reason'>;
  private readonly attempts: Counter<'offer' | 'outcome'>;
  private readonly breakers: Counter<'offer' | 'state'>;
  private readonly hedges: Counter<'outcome'>;
  private readonly firstToken: Histogram;
  private readonly usage: Counter<'offer' | 'kind'>;
  private readonly unpaidClaims: Counter;
  private readonly abandoned: Counter<'reason'>;
  private readonly deferred: Counter<'outcome'>;
  private readonly probes: Counter<'kind' | 'outcome'>;
  /** What was counted of each offer. */
  private readonly offers = new Map<string, OfferSeries>();

  constructor(@Inject(METRICS_REGISTRY) private readonly registry: MetricsRegistry) {
    const registers = [registry];
    const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
      new Counter<L>({ name: `svc_dispatch_${name}`, help, labelNames, registers });
    this.runs = counter('runs_total', 'Runs by outcome.', ['outcome']);
    this.refused = counter('messages_refused_total', 'Messages that were no valid run.', ['reason']);
    this.attempts = counter('attempts_total', 'Attempts by offer and outcome.', ['offer', 'outcome']);
    this.breakers = counter('breaker_changes_total', 'Changes of circuit breakers by offer and new state.', [
      'offer',
      'state',
    ]);
    this.hedges = counter('hedges_total', 'Second offers asked beside a late one, by whether they won.', [
      'outcome',
    ]);
    this.usage = counter('usage_adjusted_total', 'Replies whose usage was counted, capped or clamped here.', [
      'offer',
      'kind',
    ]);
    this.unpaidClaims = counter(
      'unpaid_claims_base_units_total',
      'What providers claimed beyond max_tokens or the hold. Nobody paid it.',
      [],
    );
    this.abandoned = counter('holds_abandoned_total', 'Charges taken back or holds given up.', ['reason']);
    this.deferred = counter('settlements_deferred_total', 'Settlements that went by the durable queue.', [
      'outcome',
    ]);
    this.probes = counter('probes_total', 'Probes of endpoints for the catalogue by kind and outcome.', [
      'kind',
      'outcome',
    ]);
    this.firstToken = new Histogram({
      name: 'svc_dispatch_first_token_seconds',
      help: 'Time to the first token of streams.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    });
  }

  watch(figures: LiveFigures): void {
    liveGauge(this.registry, 'runs_in_flight', 'Runs under way.', () => figures.runsInFlight());
    liveGauge(this.registry, 'deliveries_pending', 'Ended runs whose delivery is not confirmed yet.', () =>
      figures.deliveriesPending(),
    );
    liveGauge(
      this.registry,
      'settlements_pending',
      'Settlements that neither the queue nor billing has taken yet; they are lost with this process.',
      () => figures.settlementsPending(),
    );
  }

  watchProbes(inFlight: () => number): void {
    liveGauge(this.registry, 'probes_in_flight', 'Probes under way.', inFlight);
  }

  runEnded(outcome: RunOutcome): void {
    this.runs.inc({ outcome });
  }

  messageRefused(reason: 'malformed' | 'invalid' | 'no_reply_subject' | 'duplicate'): void {
    this.refused.inc({ reason });
  }

  attemptEnded(offer: string, outcome: 'served' | 'stopped' | FailureReason): void {
    this.attempts.inc({ offer, outcome });
    this.seriesOf(offer).attempts.add(outcome);
  }

  breakerBecame(offer: string, state: 'closed' | 'open' | 'half_open'): void {
    this.breakers.inc({ offer, state });
    this.seriesOf(offer).breakers.add(state);
  }

  /** Forgets offers that have been gone for 15 minutes: offers come and go, and each has series of its own. */
  keepOnly(isOffered: (offerId: string) => boolean): void {
    const nowMs = performance.now();
    for (const [offer, series] of this.offers) {
      if (isOffered(offer)) series.goneMs = undefined;
      else if (nowMs - (series.goneMs ??= nowMs) >= GONE_KEPT_MS) this.forget(offer, series);
    }
  }

  hedged(outcome: 'won' | 'lost'): void {
    this.hedges.inc({ outcome });
  }

  firstTokenAfter(ms: number): void {
    this.firstToken.observe(ms / 1000);
  }

  usageAdjusted(offer: string, kind: 'counted' | 'capped' | 'clamped'): void {
    this.usage.inc({ offer, kind });
    this.seriesOf(offer).usage.add(kind);
  }

  unpaid(baseUnits: bigint): void {
    this.unpaidClaims.inc(Number(baseUnits));
  }

  holdAbandoned(reason: string): void {
    this.abandoned.inc({ reason });
  }

  settlementDeferred(outcome: 'post' | 'void' | 'abandon'): void {
    this.deferred.inc({ outcome });
  }

  watchFormerCredentials(count: () => number): void {
    const help = 'Live offers whose credential opens with CREDENTIAL_KEY_PREVIOUS alone.';
    liveGauge(this.registry, 'former_credentials', help, count);
  }

  watchRequestMemory(heldBytes: () => number): void {
    liveGauge(
      this.registry,
      'request_bytes_held',
      'Requests of the runs under way, as they came.',
      heldBytes,
    );
  }

  watchReplyMemory(heldBytes: () => number): void {
    liveGauge(
      this.registry,
      'reply_bytes_held',
      'Parts of replies that are not whole yet, and replies kept until others are.',
      heldBytes,
    );
  }

  /** @param outcome a failure's reason, or another word of a closed set */
  probeEnded(kind: 'call' | 'check' | 'ping', outcome: string): void {
    this.probes.inc({ kind, outcome });
  }

  private seriesOf(offer: string): OfferSeries {
    let series = this.offers.get(offer);
    if (!series) {
      series = { attempts: new Set(), breakers: new Set(), usage: new Set(), goneMs: undefined };
      this.offers.set(offer, series);
    }
    return series;
  }

  private forget(offer: string, { attempts, breakers, usage }: OfferSeries): void {
    for (const outcome of attempts) this.attempts.remove({ offer, outcome });
    for (const state of breakers) this.breakers.remove({ offer, state });
    for (const kind of usage) this.usage.remove({ offer, kind });
    this.offers.delete(offer);
  }
}
