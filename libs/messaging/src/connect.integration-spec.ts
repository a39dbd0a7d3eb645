import { PrivateNats, eventually } from '@svc/testing';
import type { NatsConnection } from 'nats';
import { connectMessaging } from './connect';
import { maxPayloadOf } from './max-payload';

/** Has the client notice within moments what takes it half a minute, until it is told to `calm` down, and counts what it does. */
function hasten(connection: NatsConnection): { attempts: number; ends: number; calm: () => void } {
  const { protocol } = connection as unknown as {
    protocol: {
      options: { timeout: number };
      heartbeats: { interval: number };
      dial(server: unknown): Promise<void>;
      disconnected(error?: Error): Promise<void>;
    };
  };
  const { timeout } = protocol.options;
  const { interval } = protocol.heartbeats;
  const calm = () => {
    protocol.options.timeout = timeout;
    protocol.heartbeats.interval = interval;
  };
  protocol.options.timeout = 500;
  protocol.heartbeats.interval = 100;
  const seen = { attempts: 0, ends: 0, calm };
  const dial = protocol.dial.bind(protocol);
  protocol.dial = (server) => {
    seen.attempts++;
    return dial(server);
  };
  const disconnected = protocol.disconnected.bind(protocol);
  protocol.disconnected = (error) => {
    seen.ends++;
    return disconnected(error);
  };
  return seen;
}

describe('connectMessaging', () => {
  let nats: PrivateNats;

  beforeAll(async () => (nats = await PrivateNats.start()));
  afterAll(() => nats.close());

  it.each(['tls://$', 'nats://$, tls://$'])(
    'tells a server without TLS no password where NATS_URL is %s',
    async (form) => {
      const natsUrl = form.replaceAll('$', nats.url.replace('nats://', ''));
      const credentials = { natsUser: 'gateway', natsPassword: nats.password };
      const connecting = connectMessaging('gateway', { natsUrl, ...credentials, tryOnce: true });
      await expect(connecting.then(({ connection }) => connection.close())).rejects.toMatchObject({
        code: 'SERVER_OPT_NA',
        message: expect.stringContaining('no TLS') as string,
      });
    },
  );

  it.each([
    ['a wrong password', { natsUser: 'gateway', natsPassword: 'wrong' }, 'not what it knows'],
    ['an unknown user', { natsUser: 'nobody', natsPassword: 'wrong' }, 'not what it knows'],
    ['no user', {}, 'not set'],
  ])('says where the login is from that the server refuses: %s', async (_, login, what) => {
    const connecting = connectMessaging('gateway', { natsUrl: nats.url, ...login, loginIsFrom: 'A and B' });
    await expect(connecting.then(({ connection }) => connection.close())).rejects.toMatchObject({
      code: 'AUTHORIZATION_VIOLATION',
      message: `the server refuses the login: A and B are ${what}`,
    });
  });

  it('knows how much the server takes while it dials it anew too, also when it has not asked before', async () => {
    const { connection } = await nats.connectAs('cortex');
    await nats.stop();
    await eventually(() => connection.info === undefined);
    expect(maxPayloadOf(connection)).toBe(8 * 1024 * 1024);
    await nats.startAgain();
    await eventually(() => connection.info?.max_payload === maxPayloadOf(connection));
  });

  it('has one connection after a server stood still for longer than an attempt to connect takes', async () => {
    const { connection } = await nats.connectAs('cortex');
    const seen = hasten(connection);
    let [sent, received] = [0, 0];
    connection.subscribe('_INBOX.cortex.here.cortex.echo', { callback: () => received++ });
    nats.signal('SIGSTOP');
    await eventually(() => seen.attempts >= 3);
    // From here on a server that is slow for a moment is none that stands still.
    seen.calm();
    nats.signal('SIGCONT');
    await connection.flush();
    const { attempts } = seen;
    // The first end is the stale one's. Of the two attempts that were given up the server hears late, and closes them when nobody logs in.
    await eventually(() => seen.ends >= 3);
    await connection.flush();
    await eventually(async () => {
      connection.publish('_INBOX.cortex.here.cortex.echo');
      await connection.flush();
      return ++sent === 20;
    });
    expect([received, seen.attempts]).toEqual([20, attempts]);
  });
});
