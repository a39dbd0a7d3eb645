import { SETTLEMENT_QUEUE } from '@svc/contracts';
import { createLogger } from '@svc/observability';
import { PrivateNats, eventually } from '@svc/testing';
import { DurablePublisher } from './durable-publisher';

const { stream, deferSubject } = SETTLEMENT_QUEUE;

describe('DurablePublisher', () => {
  let nats: PrivateNats;

  beforeAll(async () => (nats = await PrivateNats.start()));
  afterAll(() => nats.close());

  it('says what waits until the stream has taken it, or it is done otherwise', async () => {
    const publisher = new DurablePublisher(await nats.connectAs('dispatch'), createLogger('test', 'silent'));
    const [published, other] = [{ number: 1 }, { number: 2 }];
    let isDone = false;
    const all = [
      publisher.publish(deferSubject, 'one', published),
      publisher.publish(deferSubject, 'other', other, () => Promise.resolve(isDone)),
    ];
    expect(publisher.pending).toEqual(new Set([published, other]));

    isDone = true;
    await eventually(() => publisher.pending.size === 1);
    expect(publisher.pending).toEqual(new Set([published]));

    const { connection } = await nats.connectAs('billing');
    const manager = await connection.jetstreamManager();
    await manager.streams.add({ name: stream, subjects: [deferSubject] });
    await publisher.drain();
    expect(publisher.pending.size).toBe(0);
    await Promise.all(all);
    expect((await manager.streams.info(stream)).state.messages).toBe(1);
  });
});
