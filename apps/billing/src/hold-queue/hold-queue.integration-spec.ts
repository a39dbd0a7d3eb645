import { SETTLEMENT_QUEUE } from '@svc/contracts';
import { connectMessaging } from '@svc/messaging';
import { createLogger, createMetricsRegistry } from '@svc/observability';
import type { DatabaseWatch } from '@svc/persistence';
import { PrivateNats, TcpLink, eventually } from '@svc/testing';
import type { JsMsg } from 'nats';
import type { ResolutionService } from '../hold/resolution.service';
import { DeferredResolutionHandler } from './deferred-resolution.handler';
import { HoldQueueService } from './hold-queue.service';
import { openHoldQueueStream } from './hold-queue-stream';

const MESSAGES = 5;

describe('the settlement queue and a process that ends in order', () => {
  let nats: PrivateNats;
  let link: TcpLink;

  beforeAll(async () => {
    nats = await PrivateNats.start();
    link = await TcpLink.open(nats.url);
  });
  afterAll(async () => {
    await link.close();
    await nats.close();
  });

  /** Of a process that applies whatever comes, unless `handler` is told. */
  async function connectQueue(given?: DeferredResolutionHandler) {
    const messaging = await connectMessaging('billing', {
      natsUrl: link.url,
      natsUser: 'billing',
      natsPassword: nats.password,
    });
    const applied: string[] = [];
    const handler = {
      putBack: 0,
      forgetPutBack: () => undefined,
      handle: (message: JsMsg) => {
        applied.push(message.string());
        message.ack();
        return Promise.resolve();
      },
    };
    const queue = new HoldQueueService(
      messaging,
      createLogger('test', 'silent'),
      given ?? (handler as unknown as DeferredResolutionHandler),
      { follow: () => undefined } as unknown as DatabaseWatch,
    );
    return { messaging, queue, applied };
  }

  it('ends when it is told to before the queue is open', async () => {
    const { messaging, queue } = await connectQueue();
    queue.onApplicationBootstrap();
    await queue.onModuleDestroy();
    await queue.onApplicationShutdown();
    await messaging.connection.drain();
  });

  // Each billing makes the queue what it is to it: two versions that differ would change it in turns.
  it('is the same queue for every version', async () => {
    const { connection } = await nats.connectAs('billing');
    const consumer = await openHoldQueueStream(connection);
    const { streams } = await connection.jetstreamManager();
    expect((await streams.info('BILLING_SETTLEMENTS')).config).toMatchObject({
      subjects: ['billing.v1.settlement.defer', 'billing.v1.settlement.release'],
      ...{ retention: 'workqueue', storage: 'file', duplicate_window: 120_000_000_000, max_msg_size: 65_536 },
    });
    expect((await consumer.info()).config).toMatchObject({
      durable_name: 'billing',
      ...{ ack_policy: 'explicit', deliver_policy: 'all', ack_wait: 30_000_000_000, max_ack_pending: 2_048 },
    });
  });

  it('applies what was on the way to it, instead of leaving it to be waited for', async () => {
    const { messaging, queue, applied } = await connectQueue();
    queue.onApplicationBootstrap();
    await eventually(() => queue.drained);
    const [other, dispatch] = await Promise.all([nats.connectAs('billing'), nats.connectAs('dispatch')]);
    const consumer = await openHoldQueueStream(other.connection);
    const jetstream = dispatch.connection.jetstream();

    link.holdBack();
    const sent = Array.from({ length: MESSAGES }, (_, index) => `settlement ${index}`);
    for (const text of sent) await jetstream.publish(SETTLEMENT_QUEUE.deferSubject, text);
    await eventually(async () => (await consumer.info()).num_ack_pending === MESSAGES);
    const stopping = queue.onModuleDestroy();
    link.letThrough();
    await stopping;
    await queue.onApplicationShutdown();
    await messaging.connection.drain();

    expect(applied).toEqual(sent);
    // The server takes acknowledgements in by and by.
    await eventually(async () => {
      const { num_ack_pending: waitedFor, num_pending: left } = await consumer.info();
      expect({ waitedFor, left }).toEqual({ waitedFor: 0, left: 0 });
      return true;
    });
  });

  it('applies what comes by a queue that was lost and made anew, while the first of the one before still waits for the database', async () => {
    const asked: string[] = [];
    let commit: () => void = () => undefined;
    const committed = new Promise<void>((resolve) => (commit = resolve));
    const holds = {
      settle: ({ holdId }: { holdId: string }) => {
        asked.push(holdId);
        return committed;
      },
    } as unknown as ResolutionService;
    const logger = createLogger('test', 'silent');
    const handler = new DeferredResolutionHandler(logger, createMetricsRegistry('test'), holds);
    await nats.removeStream(SETTLEMENT_QUEUE.stream);
    const { messaging, queue } = await connectQueue(handler);
    queue.onApplicationBootstrap();
    await eventually(() => queue.drained);
    const jetstream = (await nats.connectAs('gateway')).connection.jetstream();
    const settle = (holdId: string) => {
      const release = { holdId, wallet: `0x${'a'.repeat(40)}`, outcome: 'abandon' };
      return jetstream.publish(SETTLEMENT_QUEUE.releaseSubject, JSON.stringify(release));
    };

    const before = await settle('req_before');
    await eventually(() => asked.length === 1);
    await nats.removeStream(SETTLEMENT_QUEUE.stream);
    const after = await eventually(() => settle('req_after'));
    expect(after.seq).toBe(before.seq);
    await eventually(() => asked.includes('req_after'));

    commit();
    await queue.onModuleDestroy();
    await queue.onApplicationShutdown();
    await messaging.connection.drain();
    expect(asked).toEqual(['req_before', 'req_after']);
  });
});
