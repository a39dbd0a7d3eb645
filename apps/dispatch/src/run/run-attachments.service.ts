import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { FrameSubscriber } from '@svc/contracts';
import { noCapacity } from '@svc/errors';
import { MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { Events } from 'nats';
import { GatewayWatch } from './gateway-watch.service';
import type { SharedRun } from './run';
import { RunRegistry } from './run-registry.service';
import type { SharedOutput } from './shared-output';

/** An attach may come before the message that starts its run: it waits for that as long as the gateway waits for an answer. */
const WAIT_FOR_RUN_MS = 1_000;
const MAX_WAITING = 20_000;
/** A run that is over can be attached to for so long: whoever asked billing before its end is on the way. */
const ENDED_KEPT_MS = 30_000;
/** Longer than gateways let a client take nothing. */
const SUBSCRIBER_PATIENCE_MS = 60_000;
const SWEEP_MS = 250;

const UNHEARD = JSON.stringify(
  noCapacity(
    'Contact was lost on the way to you. The request goes on; repeat it under the same Idempotency-Key.',
    1,
  ).payload,
);

interface Waiting {
  who: FrameSubscriber;
  subject: string;
  sinceMs: number;
}

/** Who follows which idempotent run: the runs under way and those that ended a moment ago. */
@Injectable()
export class RunAttachments implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly runs = new Map<string, SharedRun>();
  /** When those that are over ended. */
  private readonly endedMs = new Map<SharedRun, number>();
  private readonly outputs = new Map<string, SharedOutput>();
  private readonly waiting = new Map<string, Waiting[]>();
  private waitingCount = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly gateways: GatewayWatch,
    private readonly registry: RunRegistry,
  ) {}

  onApplicationBootstrap(): void {
    this.gateways.onLost((gatewayId) => {
      for (const { output } of this.runs.values()) output.dropGateway(gatewayId);
    });
    this.registry.onSharedOver((run) => this.close(run));
    this.timer = setInterval(() => this.sweep(), SWEEP_MS);
    void this.followConnection();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** A run begins; those who asked for it before join. */
  open(run: SharedRun, who: FrameSubscriber, subject: string): void {
    if (this.runs.has(run.id)) return;
    this.runs.set(run.id, run);
    this.subscribe(run, who, subject);
    const early = this.waiting.get(run.id) ?? [];
    this.forgetWaiting(run.id);
    for (const waiting of early) this.subscribe(run, waiting.who, waiting.subject);
    if (early.length > 0) run.output.accept();
  }

  /** Somebody wants to follow the run, from its first byte. */
  attach(holdId: string, who: FrameSubscriber, subject: string): void {
    this.gateways.heard(who.gatewayId);
    const run = this.runs.get(holdId);
    if (!run) return this.wait(holdId, { who, subject, sinceMs: performance.now() });
    this.subscribe(run, who, subject);
    run.output.accept();
  }

  /** Somebody follows no more. */
  detach(subscriberId: string): void {
    this.outputs.get(subscriberId)?.unsubscribe(subscriberId);
    for (const [holdId, list] of this.waiting) {
      const others = list.filter(({ who }) => who.subscriberId !== subscriberId);
      if (others.length === list.length) continue;
      this.waitingCount -= list.length - others.length;
      if (others.length > 0) this.waiting.set(holdId, others);
      else this.waiting.delete(holdId);
      return;
    }
  }

  addCredit(subscriberId: string, bytes: number): void {
    this.outputs.get(subscriberId)?.addCredit(subscriberId, bytes);
  }

  private subscribe(run: SharedRun, who: FrameSubscriber, subject: string): void {
    this.outputs.set(who.subscriberId, run.output);
    run.output.subscribe(who, subject);
  }

  /** The run is over. Nobody finds a failed one: whoever comes after it is to try anew. */
  private close(run: SharedRun): void {
    this.endedMs.set(run, performance.now());
    if (!run.output.ended) this.runs.delete(run.id);
    else if (run.output.isAwaited(SUBSCRIBER_PATIENCE_MS)) this.registry.awaitDelivery(run);
  }

  private wait(holdId: string, waiting: Waiting): void {
    if (this.waitingCount >= MAX_WAITING) return;
    this.waitingCount++;
    const others = this.waiting.get(holdId);
    if (others) others.push(waiting);
    else this.waiting.set(holdId, [waiting]);
  }

  private forgetWaiting(holdId: string): void {
    this.waitingCount -= this.waiting.get(holdId)?.length ?? 0;
    this.waiting.delete(holdId);
  }

  private sweep(): void {
    const nowMs = performance.now();
    for (const [holdId, [oldest]] of this.waiting) {
      if (!oldest || nowMs - oldest.sinceMs >= WAIT_FOR_RUN_MS) this.forgetWaiting(holdId);
    }
    for (const [run, endedMs] of this.endedMs) {
      const awaited = run.output.ended && run.output.isAwaited(SUBSCRIBER_PATIENCE_MS);
      if (!awaited) this.registry.forgetDelivery(run.id);
      if (!awaited && nowMs - endedMs >= ENDED_KEPT_MS) this.forget(run);
    }
  }

  private forget(run: SharedRun): void {
    this.endedMs.delete(run);
    if (this.runs.get(run.id) === run) this.runs.delete(run.id);
    for (const subscriberId of run.output.subscriberIds) this.outputs.delete(subscriberId);
  }

  /** The runs go on without NATS; what was sent into the lost connection is not known to have arrived. */
  private async followConnection(): Promise<void> {
    for await (const { type } of this.messaging.connection.status()) {
      if (type !== Events.Reconnect) continue;
      const runs = new Set([...this.runs.values(), ...this.endedMs.keys()]);
      for (const { output } of runs) output.failSubscribers(UNHEARD);
    }
  }
}
