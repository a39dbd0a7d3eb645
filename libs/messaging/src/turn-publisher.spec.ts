import type { NatsConnection } from 'nats';
import { readBundle } from './bundle';
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

  it('gathers what goes to one process, in order, and sends a lone or a large message as it is', () => {
    const sent: string[] = [];
    const publish = (subject: string, payload: Uint8Array) => {
      if (!subject.endsWith('.BUNDLE')) return sent.push(`${subject} ${payload.length}`);
      return readBundle(payload, (token, part) => sent.push(`bundled ${token} ${part.length}`));
    };
    const connection = { info: { max_payload: 1_000_000 }, publish } as unknown as NatsConnection;
    const publisher = new TurnPublisher(connection);
    publisher.deliver('_INBOX.gateway.a.1', Buffer.alloc(1));
    publisher.deliver('_INBOX.gateway.b.1', Buffer.alloc(2));
    publisher.deliver('_INBOX.gateway.a.2', Buffer.alloc(3));
    publisher.deliver('_INBOX.gateway.a.1', Buffer.alloc(100_000));
    publisher.deliver('_INBOX.gateway.a.1', Buffer.alloc(4));
    publisher.flush();
    expect(sent).toEqual([
      'bundled 1 1',
      'bundled 2 3',
      '_INBOX.gateway.a.1 100000',
      '_INBOX.gateway.b.1 2',
      '_INBOX.gateway.a.1 4',
    ]);
  });

  it('sends what no bundle can hold as it is: callers name their inboxes themselves', () => {
    const sent: string[] = [];
    const connection = connectionThat((subject) => sent.push(subject));
    const publisher = new TurnPublisher(connection);
    const inbox = `_INBOX.gateway.a.${'x'.repeat(256)}`;
    publisher.deliver(inbox, Buffer.alloc(1));
    publisher.deliver(inbox, Buffer.alloc(1));
    publisher.deliver('_INBOX.gateway.a.1', Buffer.alloc(1));
    publisher.flush();
    expect(sent).toEqual([inbox, inbox, '_INBOX.gateway.a.1']);
  });

  it('does what is to be done at the flush before it, and publishes what comes of that', async () => {
    const sent: string[] = [];
    const publisher = new TurnPublisher(connectionThat((subject) => sent.push(subject)));
    publisher.atFlush(() => publisher.publish('late', 'x'));
    publisher.publish('early', 'x');
    await new Promise((next) => setImmediate(next));
    expect(sent).toEqual(['early', 'late']);
  });

  it('publishes each message once, turn by turn, and does at each flush what was to be done at that', async () => {
    const sent: string[] = [];
    const publisher = new TurnPublisher(connectionThat((subject) => sent.push(subject)));
    const acts = new Map([
      ['published', () => publisher.publish('published', 'x')],
      ['_INBOX.gateway.a.1', () => publisher.deliver('_INBOX.gateway.a.1', Buffer.alloc(1))],
      ['worked', () => publisher.atFlush(() => publisher.atFlush(() => sent.push('worked')))],
    ]);
    for (const [outcome, act] of [...acts, ...acts]) {
      act();
      for (let turn = 0; turn < 3; turn++) await new Promise((next) => setImmediate(next));
      expect(sent.splice(0)).toEqual([outcome]);
    }
  });

  it('closes a bundle before it is too large for the server, and loses nothing', () => {
    const most = 256 * 1024;
    const sizes: number[] = [];
    const tokens: string[] = [];
    const publish = (_: string, payload: Uint8Array) => {
      sizes.push(payload.length);
      readBundle(payload, (token) => tokens.push(token));
    };
    const connection = { info: { max_payload: most }, publish } as unknown as NatsConnection;
    const publisher = new TurnPublisher(connection);
    const sent = Array.from({ length: 40 }, (_, index) => `${index}`);
    for (const token of sent) publisher.deliver(`_INBOX.gateway.a.${token}`, Buffer.alloc(30_000));
    publisher.flush();
    expect(tokens).toEqual(sent);
    expect(Math.max(...sizes)).toBeLessThan(most);
    expect(sizes.length).toBeLessThan(sent.length / 3);
  });

  it('knows beforehand which texts the server would refuse with what stands around them', () => {
    const connection = { info: { max_payload: 200_000 } } as unknown as NatsConnection;
    const publisher = new TurnPublisher(connection);
    for (const text of ['x'.repeat(199_900), 'é'.repeat(99_900), '漢'.repeat(60_000)]) {
      expect(() => publisher.assertFits('a', text)).not.toThrow();
    }
    for (const text of ['x'.repeat(199_990), 'é'.repeat(99_990), '漢'.repeat(67_000)]) {
      expect(() => publisher.assertFits('a', text)).toThrow(RangeError);
    }
  });

  it('is one for each connection', () => {
    const [one, other] = [connectionThat(() => undefined), connectionThat(() => undefined)];
    expect(TurnPublisher.of(one)).toBe(TurnPublisher.of(one));
    expect(TurnPublisher.of(one)).not.toBe(TurnPublisher.of(other));
  });
});
