import { PrivateNats } from '@svc/testing';
import { connectMessaging } from './connect';

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
});
