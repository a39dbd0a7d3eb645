import { SETTLEMENT_QUEUE } from '@svc/contracts';
import { connectMessaging } from '@svc/messaging';
import { createLogger } from '@svc/observability';
import { PrivateNats, TcpLink, eventually } from '@svc/testing';
import type { JsMsg } from 'nats';
import type { DeferredSettlementHandler } from './deferred-settlement.handler';
import { SettlementQueueService } from './settlement-queue.service';
import { openSettlementStream } from './settlement-stream';

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

  /** Of a process that applies whatever comes. */
  async function connectQueue() {
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
    const queue = new SettlementQueueService(
      messaging,
      createLogger('test', 'silent'),
      handler as unknown as DeferredSettlementHandler,
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

  it('applies what was on the way to it, instead of leaving it to be waited for', async () => {
    const { messaging, queue, applied } = await connectQueue();
    queue.onApplicationBootstrap();
    await eventually(() => queue.drained);
    const [other, dispatch] = await Promise.all([nats.connectAs('billing'), nats.connectAs('dispatch')]);
    const consumer = await openSettlementStream(other.connection);
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
});
