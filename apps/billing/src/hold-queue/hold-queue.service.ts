import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { MESSAGING, followConnection } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger, ReadinessCheck } from '@svc/observability';
import { DatabaseWatch } from '@svc/persistence';
import { within } from '@svc/time-limit';
import { ConsumerEvents } from 'nats';
import type { Consumer, ConsumerMessages, Subscription } from 'nats';
import { DeferredResolutionHandler, FORGOTTEN_AFTER_MS } from './deferred-resolution.handler';
import { openHoldQueueStream } from './hold-queue-stream';

const RETRY_MS = 1_000;
const DRAIN_CHECK_MS = 200;
const PREFETCH = 512;
/** How long a pull stands at the server. A pull that got lost is noticed after as long: two heartbeats of half of it. */
const PULL_MS = 5_000;
/** What the server has sent when no more is to be taken has come within this, unless NATS is away. */
const LAST_MESSAGES_MS = 1_000;

/**
 * Consumes settlements of holds that could not be made by a call: what waited while billing was away, and every abandon. While the database
 * is away from this instance, it takes nothing: another may have it.
 */
@Injectable()
export class HoldQueueService implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly applying = new Set<Promise<void>>();
  private messages: ConsumerMessages | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  private drainedOnce = false;
  /** Resolved but while the database is away. */
  private databaseBack: Promise<void> = Promise.resolve();
  /** There while the database is away: says that it is back. */
  private goOn: (() => void) | undefined;

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly handler: DeferredResolutionHandler,
    private readonly database: DatabaseWatch,
  ) {}

  /** Whether everything that waited when the consumer started has been applied, or tried. */
  get drained(): boolean {
    return this.drainedOnce;
  }

  readonly readiness: ReadinessCheck = {
    name: 'settlement-consumer',
    check: () => ({ up: this.messages !== undefined }),
  };

  onApplicationBootstrap(): void {
    this.database.follow({ onAway: () => this.pause(), onBack: () => this.resume() });
    this.running = this.run();
    followConnection(this.messaging.connection, { onBack: () => this.openAnew() });
  }

  /**
   * Takes no more messages: the rest stays in the queue. What the server has sent by then is taken. Nobody else would get it before the
   * server has waited in vain for an acknowledgement, and until then no lapsed hold is expired either.
   */
  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    this.resume();
    await this.leave();
  }

  /** When the ledger is closed: everything taken has been applied and acknowledged, or given back. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.applying);
    await this.running;
  }

  private pause(): void {
    if (this.stopped) return;
    this.databaseBack = new Promise((resolve) => (this.goOn = resolve));
    // What comes by then is tried, and put back for whoever has the database.
    void this.leave();
  }

  private resume(): void {
    this.goOn?.();
    this.goOn = undefined;
  }

  private async leave(): Promise<void> {
    const { messages } = this;
    if (!messages) return;
    await within(LAST_MESSAGES_MS, takeLast(messages)).catch(() => undefined);
    await messages.close();
  }

  private async run(): Promise<void> {
    for (;;) {
      await this.databaseBack;
      if (this.stopped) return;
      let failed = false;
      try {
        await this.consume(await openHoldQueueStream(this.messaging.connection));
      } catch (error) {
        failed = true;
        if (!this.stopped) this.logger.warn({ err: error }, 'settlement queue not consumed');
      }
      this.messages = undefined;
      this.drainedOnce = false;
      if (failed && !this.stopped) await delay(RETRY_MS);
    }
  }

  /**
   * After each reconnect. The client library would resume by itself, but when its one question to JetStream
   * fails, as it may just after the server's start, it waits for as long as a pull lasts before the next.
   */
  private async openAnew(): Promise<void> {
    await this.messages?.close();
  }

  /** As for a reconnect: what is lost without one, is noticed by its silence. */
  private async followSilence(messages: ConsumerMessages): Promise<void> {
    for await (const { type } of await messages.status()) {
      if (type === ConsumerEvents.HeartbeatsMissed) await messages.close();
    }
  }

  private async consume(consumer: Consumer): Promise<void> {
    const messages = await consumer.consume({
      max_messages: PREFETCH,
      expires: PULL_MS,
      abort_on_missing_resource: true,
    });
    this.messages = messages;
    this.handler.forgetPutBack();
    void this.followSilence(messages);
    void this.watchDrain(consumer, messages);
    // Not waited for: it is closed when it was read to its end, below.
    if (this.stopped || this.goOn) void messages.close();
    for await (const message of messages) {
      const applied = this.handler.handle(message).finally(() => this.applying.delete(applied));
      this.applying.add(applied);
    }
  }

  private async watchDrain(consumer: Consumer, messages: ConsumerMessages): Promise<void> {
    let triedByMs = Infinity;
    while (this.messages === messages && !this.stopped) {
      const info = await consumer.info().catch(() => undefined);
      // Whatever has been delivered comes once more until then, unless it was applied. What other instances put back is not told.
      if (info?.num_pending === 0) triedByMs = Math.min(triedByMs, performance.now() + FORGOTTEN_AFTER_MS);
      const isTried = performance.now() >= triedByMs;
      // One message that cannot be applied must not keep every lease alive: tried and put back is good enough.
      if (isTried || (info?.num_pending === 0 && info.num_ack_pending <= this.handler.putBack)) {
        this.drainedOnce = true;
        return;
      }
      await delay(DRAIN_CHECK_MS);
    }
  }
}

/** The library's own `close` drops what is on the way; its subscription can be ended without that. */
async function takeLast(messages: ConsumerMessages): Promise<void> {
  const { sub } = messages as unknown as { sub?: Subscription };
  if (!sub) return;
  await sub.drain();
  await messages.closed();
}
