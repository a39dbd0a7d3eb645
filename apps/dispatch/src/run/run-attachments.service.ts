import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { SUBSCRIBER_PATIENCE_MS } from '@svc/contracts';
import type { FrameSubscriber } from '@svc/contracts';
import { noCapacity } from '@svc/errors';
import type { ErrorPayload } from '@svc/errors';
import { MESSAGING, followConnection } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { EarlyAttachments } from './early-attachments';
import { GatewayWatch } from './gateway-watch.service';
import type { SharedRun } from '../live-run/run';
import { RunRegistry } from './run-registry.service';

/** For how long a run that is over can be attached to: whoever asked billing before its end is on the way. */
const ENDED_KEPT_MS = 10_000;
/** What their replies may take together; beyond it the oldest are found no more, at last those that somebody has yet to take. */
const ENDED_KEPT_BYTES = 128 * 1024 * 1024;
const SWEEP_MS = 250;
const UNHEARD = told(
  'Contact was lost on the way to you. The request goes on; repeat it under the same Idempotency-Key.',
);
const UNTAKEN = told(
  'The reply was taken too slowly. It is kept: repeat the request under the same Idempotency-Key.',
);

/** A failure of telling, not of the run. */
function told(message: string): string {
  return JSON.stringify({ ...noCapacity(message, 1).payload, goesOn: true } satisfies ErrorPayload);
}

/** Who follows which idempotent run: the runs under way and those that ended a moment ago. */
@Injectable()
export class RunAttachments implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly runs = new Map<string, SharedRun>();
  /** When those that are over ended, the first first. */
  private readonly endedMs = new Map<SharedRun, number>();
  private endedBytes = 0;
  /** Of those, the ones that somebody has not got to the end of. */
  private readonly awaited = new Set<SharedRun>();
  /** By subscriber. */
  private readonly followed = new Map<string, SharedRun>();
  private readonly early = new EarlyAttachments();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly gateways: GatewayWatch,
    private readonly registry: RunRegistry,
  ) {}

  onApplicationBootstrap(): void {
    this.gateways.onLost((gatewayId) => {
      for (const { output } of this.runs.values()) output.dropGateway(gatewayId, UNHEARD);
    });
    this.registry.onSharedOver((run) => this.close(run));
    this.timer = setInterval(() => this.sweep(), SWEEP_MS);
    followConnection(this.messaging.connection, { onBack: () => this.failSubscribers() });
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** A run begins; those who asked for it before join. */
  open(run: SharedRun, who: FrameSubscriber, subject: string): void {
    if (this.runs.has(run.id)) return;
    this.runs.set(run.id, run);
    this.subscribe(run, who, subject);
    const early = this.early.take(run.id);
    for (const other of early) this.subscribe(run, other.who, other.subject);
    if (early.length > 0) run.output.accept();
  }

  /** Somebody wants to follow the run, from its first byte. */
  attach(holdId: string, who: FrameSubscriber, subject: string): void {
    this.gateways.heard(who.gatewayId);
    const run = this.runs.get(holdId);
    if (!run) return this.early.add(holdId, { who, subject });
    this.subscribe(run, who, subject);
    run.output.accept();
    this.noteAwaited(run);
  }

  /** Somebody follows no more. A client may come and go as often as it likes while the run goes on: nothing of it is kept. */
  detach(subscriberId: string): void {
    this.followed.get(subscriberId)?.output.unsubscribe(subscriberId);
    this.followed.delete(subscriberId);
    this.early.remove(subscriberId);
  }

  addCredit(subscriberId: string, bytes: number): void {
    const run = this.followed.get(subscriberId);
    if (!run) return;
    run.output.addCredit(subscriberId, bytes);
    this.noteAwaited(run);
  }

  private subscribe(run: SharedRun, who: FrameSubscriber, subject: string): void {
    this.followed.set(who.subscriberId, run);
    run.output.subscribe(who, subject);
  }

  /** The run is over. Nobody finds a failed one: whoever comes after it is to try anew. */
  private close(run: SharedRun): void {
    this.endedMs.set(run, performance.now());
    this.endedBytes += run.output.length;
    if (!run.output.ended) this.runs.delete(run.id);
    else this.noteAwaited(run);
  }

  /** While somebody has to get the rest of a whole reply it is not forgotten, and the process does not end. */
  private noteAwaited(run: SharedRun): void {
    if (!this.endedMs.has(run) || !run.output.isAwaited(SUBSCRIBER_PATIENCE_MS)) return;
    this.awaited.add(run);
    this.registry.awaitDelivery(run);
  }

  private sweep(): void {
    const nowMs = performance.now();
    this.early.sweep(nowMs);
    for (const run of this.awaited) {
      if (!run.output.isAwaited(SUBSCRIBER_PATIENCE_MS)) this.noLongerAwaited(run);
    }
    for (const [run, endedMs] of this.endedMs) {
      if (nowMs - endedMs < ENDED_KEPT_MS && this.endedBytes <= ENDED_KEPT_BYTES) break;
      if (!this.awaited.has(run)) this.forget(run);
    }
    for (const run of this.awaited) {
      if (this.endedBytes <= ENDED_KEPT_BYTES) break;
      this.noLongerAwaited(run);
      this.forget(run);
    }
  }

  private noLongerAwaited(run: SharedRun): void {
    this.awaited.delete(run);
    this.registry.forgetDelivery(run.id);
  }

  private forget(run: SharedRun): void {
    run.output.dropSubscribers(UNTAKEN);
    this.endedMs.delete(run);
    this.endedBytes -= run.output.length;
    if (this.runs.get(run.id) === run) this.runs.delete(run.id);
    for (const subscriberId of run.output.subscriberIds) this.followed.delete(subscriberId);
  }

  /** The runs go on without NATS; what was sent into the lost connection is not known to have arrived. */
  private failSubscribers(): void {
    const runs = new Set([...this.runs.values(), ...this.endedMs.keys()]);
    for (const { output } of runs) output.failSubscribers(UNHEARD);
  }
}
