import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { DISPATCH_SUBJECTS, GATEWAY_SUBJECTS, subscriberOf } from '@svc/contracts';
import { InstanceWatch, MESSAGING, RpcClient, maxPayloadOf, toHeaders } from '@svc/messaging';
import type { InboxHandler, Messaging, OpenInbox } from '@svc/messaging';
import { NatsLink } from '../messaging/nats-link';

/** Delivery notices are gathered for so long: one message tells of many runs. */
const NOTICE_DELAY_MS = 10;

/** Everything the gateway says to dispatch about runs, and how it learns that an instance is gone. */
@Injectable()
export class DispatchLink implements OnModuleInit, OnApplicationShutdown {
  private readonly watch: InstanceWatch;
  private notices = new Map<string, string[]>();
  private noticeTimer: NodeJS.Timeout | undefined;
  /** Runs to be stopped once that can be said again: what is sent into a lost connection is lost with it. */
  private readonly unsaidCancels = new Set<string>();

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly rpc: RpcClient,
    private readonly nats: NatsLink,
  ) {
    this.watch = new InstanceWatch(messaging, {
      ownSubject: GATEWAY_SUBJECTS.alive,
      watchedSubject: DISPATCH_SUBJECTS.alive,
    });
  }

  onModuleInit(): void {
    this.watch.start();
    this.nats.onBack(() => this.sayCancels());
  }

  onApplicationShutdown(): void {
    this.watch.stop();
    this.flushNotices();
    this.rpc.publisher.flush();
  }

  /** The largest message that NATS takes. */
  get maxPayloadBytes(): number {
    return maxPayloadOf(this.messaging.connection);
  }

  /** @param listener called once for each dispatch instance that fell silent */
  onInstanceLost(listener: (instanceId: string) => void): void {
    this.watch.onLost(listener);
  }

  /** A sign of life beside the beat: an instance is watched from its first frame on. */
  heard(instanceId: string): void {
    this.watch.heard(instanceId);
  }

  /**
   * Starts a run with whichever dispatch instance takes it.
   * @param startJson a `StartRunRequest`
   * @param onMessage gets the run's frames, and the server's word when nobody listens
   */
  start(startJson: string, onMessage: InboxHandler, traceparent?: string): OpenInbox {
    const inbox = this.rpc.inbox.open(onMessage);
    this.rpc.publisher.publish(DISPATCH_SUBJECTS.start, startJson, {
      reply: inbox.subject,
      ...(traceparent !== undefined && { headers: toHeaders({ traceparent }) }),
    });
    return inbox;
  }

  /**
   * Asks every dispatch instance for the frames of an idempotent run, from the first on; whoever has it answers.
   * @param onMessage gets them, and the server's word when no dispatch listens
   */
  attach(holdId: string, onMessage: InboxHandler): OpenInbox {
    const inbox = this.rpc.inbox.open(onMessage);
    this.rpc.publisher.publish(DISPATCH_SUBJECTS.attach(holdId), '', { reply: inbox.subject });
    return inbox;
  }

  /** Nobody listens any more at this inbox to an idempotent run, which goes on. */
  detach({ subject }: OpenInbox): void {
    const subscriber = subscriberOf(subject);
    if (subscriber) this.rpc.publisher.publish(DISPATCH_SUBJECTS.detach(subscriber.subscriberId), '');
  }

  /** Stops a run. */
  cancel(requestId: string): void {
    if (this.nats.connected) this.rpc.publisher.publish(DISPATCH_SUBJECTS.cancel(requestId), '');
    else this.unsaidCancels.add(requestId);
  }

  /** So many more bytes may be sent. */
  credit(instanceId: string, requestId: string, bytes: number): void {
    this.rpc.publisher.publish(DISPATCH_SUBJECTS.credit(instanceId, requestId), String(bytes));
  }

  /** So many more bytes of an idempotent run may be sent to this inbox. */
  creditInbox(instanceId: string, { subject }: OpenInbox, bytes: number): void {
    const subscriber = subscriberOf(subject);
    if (subscriber) this.credit(instanceId, subscriber.subscriberId, bytes);
  }

  /** The run is over and its outcome was handed to the client, or there is no client any more. */
  delivered(instanceId: string, requestId: string): void {
    const waiting = this.notices.get(instanceId);
    if (waiting) waiting.push(requestId);
    else this.notices.set(instanceId, [requestId]);
    this.noticeTimer ??= setTimeout(() => this.flushNotices(), NOTICE_DELAY_MS);
  }

  private sayCancels(): void {
    for (const requestId of this.unsaidCancels) this.cancel(requestId);
    this.unsaidCancels.clear();
  }

  private flushNotices(): void {
    clearTimeout(this.noticeTimer);
    this.noticeTimer = undefined;
    const { notices } = this;
    this.notices = new Map();
    for (const [instanceId, requestIds] of notices) {
      this.rpc.publisher.publish(DISPATCH_SUBJECTS.delivered(instanceId), requestIds.join('\n'));
    }
  }
}
