import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger, ReadinessCheck } from '@svc/observability';
import type { Consumer, ConsumerMessages } from 'nats';
import { DeferredSettlementHandler } from './deferred-settlement.handler';
import { openSettlementStream } from './settlement-stream';

const RETRY_MS = 1_000;
const DRAIN_CHECK_MS = 200;
const PREFETCH = 512;

/** Consumes settlements that could not be made by a call: what waited while billing was away, and every abandon. */
@Injectable()
export class SettlementQueueService
  implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  private readonly applying = new Set<Promise<void>>();
  private messages: ConsumerMessages | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  private drainedOnce = false;

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly handler: DeferredSettlementHandler,
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
    this.running = this.run();
  }

  /** Takes no more messages: the rest stays in the queue. */
  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    await this.messages?.close();
  }

  /** When the ledger is closed: everything taken has been applied and acknowledged, or given back. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.applying);
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.consume(await openSettlementStream(this.messaging.connection));
      } catch (error) {
        if (!this.stopped) this.logger.warn({ err: error }, 'settlement queue not consumed');
      }
      this.messages = undefined;
      this.drainedOnce = false;
      if (!this.stopped) await delay(RETRY_MS);
    }
  }

  private async consume(consumer: Consumer): Promise<void> {
    const messages = await consumer.consume({ max_messages: PREFETCH, abort_on_missing_resource: true });
    this.messages = messages;
    if (this.stopped) await messages.close();
    void this.watchDrain(consumer, messages);
    for await (const message of messages) {
      const applied = this.handler.handle(message).finally(() => this.applying.delete(applied));
      this.applying.add(applied);
    }
  }

  private async watchDrain(consumer: Consumer, messages: ConsumerMessages): Promise<void> {
    while (this.messages === messages && !this.stopped) {
      const info = await consumer.info().catch(() => undefined);
      // One message that cannot be applied must not keep every lease alive: tried and put back is good enough.
      if (info?.num_pending === 0 && info.num_ack_pending <= this.handler.putBack) {
        this.drainedOnce = true;
        return;
      }
      await delay(DRAIN_CHECK_MS);
    }
  }
}
