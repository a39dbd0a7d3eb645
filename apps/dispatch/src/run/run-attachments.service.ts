import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { TransientMap } from '@svc/collections';
import { SUBSCRIBER_PATIENCE_MS } from '@svc/contracts';
import type { FrameSubscriber } from '@svc/contracts';
import { noCapacity } from '@svc/errors';
import type { ErrorPayload } from '@svc/errors';
import { MESSAGING, followConnection } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { EarlyAttachments } from './early-attachments';
import { GatewayWatch } from './gateway-watch.service';
import type { SharedRun } from '../live-run/run';
import type { SharedOutput } from '../live-run/shared-output';
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
  'The reply was taken too slowly. Repeat the request under the same Idempotency-Key to have it again.',
);

/** A failure of telling, not of the run. */
function told(message: string): string {
  return JSON.stringify({ ...noCapacity(message, 1).payload, goesOn: true } satisfies ErrorPayload);
}

/** What is followed of a run. Its request is let go of when it is over, which may be larger than the reply. */
interface SharedReply {
  readonly id: string;
  readonly output: SharedOutput;
  readonly number: number;
  /** When its run was over. */
  endedMs?: number;
}

/** Who follows which idempotent run: the runs under way and those that ended a moment ago. */
@Injectable()
export class RunAttachments implements OnApplicationBootstrap, OnApplicationShutdown {
  /** By the hold: those that can be found. */
  private readonly replies = new TransientMap<string, SharedReply>();
  private count = 0;
  /** By number: those whose run is over, the first first. */
  private readonly ended = new TransientMap<number, SharedReply>();
  private endedBytes = 0;
  /** Of those, the ones that somebody has not got to the end of. */
  private readonly awaited = new TransientMap<number, SharedReply>();
  /** By subscriber. */
  private readonly followed = new TransientMap<string, SharedReply>();
  private readonly early = new EarlyAttachments();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly gateways: GatewayWatch,
    private readonly registry: RunRegistry,
  ) {}

  onApplicationBootstrap(): void {
    this.gateways.onLost((gatewayId) => {
      for (const { output } of this.replies.values()) output.dropGateway(gatewayId, UNHEARD);
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
    if (this.replies.has(run.id)) return;
    const reply = this.replyOf(run);
    this.replies.set(run.id, reply);
    this.subscribe(reply, who, subject);
    const early = this.early.take(run.id);
    for (const other of early) this.subscribe(reply, other.who, other.subject);
    if (early.length > 0) run.output.accept();
  }

  /** Somebody wants to follow the run, from its first byte. */
  attach(holdId: string, who: FrameSubscriber, subject: string): void {
    this.gateways.heard(who.gatewayId);
    const reply = this.replies.get(holdId);
    if (!reply) return this.early.add(holdId, { who, subject });
    this.subscribe(reply, who, subject);
    reply.output.accept();
    this.noteAwaited(reply);
  }

  /** Somebody follows no more. A client may come and go as often as it likes while the run goes on: nothing of it is kept. */
  detach(subscriberId: string): void {
    this.followed.get(subscriberId)?.output.unsubscribe(subscriberId);
    this.followed.delete(subscriberId);
    this.early.remove(subscriberId);
  }

  addCredit(subscriberId: string, bytes: number): void {
    const reply = this.followed.get(subscriberId);
    if (!reply) return;
    reply.output.addCredit(subscriberId, bytes);
    this.noteAwaited(reply);
  }

  private replyOf({ id, output }: SharedRun): SharedReply {
    return { id, output, number: this.count++ };
  }

  private subscribe(reply: SharedReply, who: FrameSubscriber, subject: string): void {
    this.followed.set(who.subscriberId, reply);
    reply.output.subscribe(who, subject);
  }

  /** The run is over. Nobody finds a failed one: whoever comes after it is to try anew. */
  private close(run: SharedRun): void {
    const found = this.replies.get(run.id);
    const reply = found?.output === run.output ? found : this.replyOf(run);
    reply.endedMs = performance.now();
    this.ended.set(reply.number, reply);
    this.endedBytes += run.output.length;
    if (!run.output.ended) this.replies.delete(run.id);
    else this.noteAwaited(reply);
  }

  /** While somebody has to get the rest of a whole reply it is not forgotten, and the process does not end. */
  private noteAwaited(reply: SharedReply): void {
    if (reply.endedMs === undefined || !reply.output.isAwaited(SUBSCRIBER_PATIENCE_MS)) return;
    this.awaited.set(reply.number, reply);
    this.registry.awaitReaders(reply.id);
  }

  private sweep(): void {
    const nowMs = performance.now();
    this.early.sweep(nowMs);
    for (const reply of this.awaited.values()) {
      if (!reply.output.isAwaited(SUBSCRIBER_PATIENCE_MS)) this.noLongerAwaited(reply);
    }
    for (const reply of this.ended.values()) {
      const isOld = nowMs - (reply.endedMs ?? nowMs) >= ENDED_KEPT_MS;
      if (!isOld && this.endedBytes <= ENDED_KEPT_BYTES) break;
      if (!this.awaited.has(reply.number)) this.forget(reply);
    }
    for (const reply of this.awaited.values()) {
      if (this.endedBytes <= ENDED_KEPT_BYTES) break;
      this.noLongerAwaited(reply);
      this.forget(reply);
    }
  }

  private noLongerAwaited({ number, id }: SharedReply): void {
    this.awaited.delete(number);
    this.registry.forgetDelivery(id);
  }

  private forget(reply: SharedReply): void {
    const { id, output, number } = reply;
    output.dropSubscribers(UNTAKEN);
    this.ended.delete(number);
    this.endedBytes -= output.length;
    if (this.replies.get(id) === reply) this.replies.delete(id);
    for (const subscriberId of output.subscriberIds) this.followed.delete(subscriberId);
  }

  /** The runs go on without NATS; what was sent into the lost connection is not known to have arrived. */
  private failSubscribers(): void {
    const replies = new Set([...this.replies.values(), ...this.ended.values()]);
    for (const { output } of replies) output.failSubscribers(UNHEARD);
  }
}
