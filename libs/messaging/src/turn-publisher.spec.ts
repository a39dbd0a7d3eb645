import type { NatsConnection } from 'nats';
import { TurnPublisher } from './turn-publisher';

function connectionThat(publish: (subject: string) => void): NatsConnection {
  return { info: { max_payload: 8 }, publish } as unknown as NatsConnection;
}

describe('TurnPublisher', () => {
  it('publishes at the end of the turn, in order', async () => {
    const sent: string[] = [];
    const publisher = new TurnPublisher(connectionThat((subject) => sent.push(subject)));
    publisher.publish('a', 'x');
    publisher.publish('b', new Uint8Array(8));
    expect(sent).toEqual([]);
    await new Promise((next) => setImmediate(next));
    expect(sent).toEqual(['a', 'b']);
  });

  it('refuses what the server would refuse, to its sender alone', () => {
    const sent: string[] = [];
    const publisher = new TurnPublisher(connectionThat((subject) => sent.push(subject)));
    publisher.publish('a', '12345678');
    expect(() => publisher.publish('b', '123456789')).toThrow(RangeError);
    expect(() => publisher.publish('b', 'ééééé')).toThrow(RangeError);
    publisher.flush();
    expect(sent).toEqual(['a']);
  });

  it('goes on with the rest when one cannot be published', () => {
    const sent: string[] = [];
    const publisher = new TurnPublisher(
      connectionThat((subject) => {
        if (subject === 'bad') throw new Error('CONNECTION_DRAINING');
        sent.push(subject);
      }),
    );
    for (const subject of ['a', 'bad', 'b']) publisher.publish(subject, 'x');
    expect(() => publisher.flush()).not.toThrow();
    expect(sent).toEqual(['a', 'b']);
  });
});
