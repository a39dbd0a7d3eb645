import { createHash } from 'node:crypto';
import { eventually } from '@svc/testing';
import { GatewayHarness, OPERATOR } from '../../testing/gateway-harness.for-spec';
import { PortalVisitor } from '../../testing/portal-visitor.for-spec';
import { MOST_SESSIONS } from './session-terms';

const wallet = `0x${'a1'.repeat(20)}`;
const other = `0x${'b2'.repeat(20)}`;
const HOUR_MS = 3_600_000;
const harness = new GatewayHarness();

beforeAll(() => harness.start());
afterAll(() => harness.stop());
afterEach(() => jest.restoreAllMocks());

/** Who is there, for a page that asks without knowing. */
async function visitorOf(headers: Record<string, string>): Promise<[number, unknown]> {
  const reply = await fetch(`${harness.url}/portal/api/visitor`, { headers });
  return [reply.status, ((await reply.json()) as { session: unknown }).session];
}

/** Asks for the session with these headers; DELETE ends it if it may. */
function ask(headers: Record<string, string>, method = 'GET', at = harness.url): Promise<Response> {
  return fetch(`${at}/portal/api/session`, { method, headers });
}

function later(ms: number): void {
  const now = Date.now() + ms;
  jest.spyOn(Date, 'now').mockReturnValue(now);
}

describe('the buckets of the portal', () => {
  // Where they are not, the gateway's NATS user may make them: for any subject.
  it('are there before anybody signs in, and nobody can make them otherwise', async () => {
    const { connection } = await harness.nats.connectAs('gateway');
    const streams = (await connection.jetstreamManager()).streams;
    for (const name of ['KV_gateway_sessions', 'KV_gateway_nonces']) {
      await eventually(async () => (await streams.info(name)).config.name === name);
      const subjects = [`$KV.${name.slice(3)}.>`, 'catalog.v1.>'];
      await expect(streams.add({ name, subjects })).rejects.toMatchObject({ api_error: { err_code: 10058 } });
    }
  });
});

describe('the buckets of the portal, beside a gateway of another version', () => {
  // A bucket of other settings is used by no gateway (`openBucket`): what is another here is one in which every gateway refuses everybody.
  it.each([
    ['KV_gateway_sessions', { max_bytes: 268_435_456, max_age: 7_200_000_000_000 }],
    ['KV_gateway_nonces', { max_bytes: 67_108_864, max_age: 600_000_000_000 }],
  ])('are what every version makes and takes: %s', async (name, settings) => {
    const { connection } = await harness.nats.connectAs('gateway');
    const { streams } = await connection.jetstreamManager();
    await eventually(async () => (await streams.info(name)).config.name === name);
    expect((await streams.info(name)).config).toMatchObject({
      ...settings,
      max_msgs_per_subject: 1,
      storage: 'file',
    });
  });
});

describe('a session of the portal', () => {
  it('is shown to whoever has its cookie', async () => {
    const visitor = await PortalVisitor.signedIn(harness, wallet);
    const reply = await visitor.get('/session');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    expect(await reply.json()).toMatchObject({
      wallet,
      is_operator: false,
      csrf_token: visitor.headers['x-svc-csrf'],
    });
  });

  it('is shown to a page that does not know whether there is one, by the same cookie alone', async () => {
    const visitor = await PortalVisitor.signedIn(harness, wallet);
    const { cookie, ...others } = visitor.headers;
    const session: unknown = await (await visitor.get('/session')).json();
    expect(await visitorOf({ cookie })).toEqual([200, session]);
    expect(await visitorOf(others)).toEqual([200, null]);
    const reply = await visitor.get('/visitor');
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    await visitor.send('DELETE', '/session');
    expect(await visitorOf({ cookie })).toEqual([200, null]);
  });

  it('knows operators', async () => {
    const visitor = await PortalVisitor.signedIn(harness, OPERATOR);
    expect(await (await visitor.get('/session')).json()).toMatchObject({ is_operator: true });
  });

  it.each<[string, (value: string) => string]>([
    ['none', () => ''],
    ['one character changed', (value) => value.slice(0, -1) + (value.endsWith('A') ? 'B' : 'A')],
    ['truncated', (value) => value.slice(0, -1)],
    ['longer', (value) => `${value}A`],
    ['of another wallet', (value) => value.replace(wallet, other)],
    ['with the wallet otherwise written', (value) => value.replace(wallet, wallet.toUpperCase())],
    ['without a wallet', (value) => value.replace(`${wallet}.`, '')],
    ['with all sessions for a key', (value) => value.replace(/\..*/, '.*')],
    ['with a look elsewhere', (value) => value.replace(wallet, '>')],
    ['quoted', (value) => `"${value}"`],
  ])('is nobody’s with a cookie that is %s', async (_, change) => {
    const { cookie } = (await PortalVisitor.signedIn(harness, wallet)).headers;
    const [name = '', value = ''] = cookie.split('=');
    const changed = { cookie: `${name}=${change(value)}` };
    expect(await visitorOf(changed)).toEqual([200, null]);
    const reply = await ask(changed);
    expect(reply.status).toBe(401);
    expect(await reply.json()).toMatchObject({ error: { code: 'invalid_api_key' } });
  });

  it('is not found under its id: what is kept opens nothing', async () => {
    const visitor = await PortalVisitor.signedIn(harness, wallet);
    const { session_id: id } = (await (await visitor.get('/session')).json()) as { session_id: string };
    const bytes = Buffer.from(id, 'hex').toString('base64url');
    for (const token of [id, bytes]) {
      expect((await ask({ cookie: `svc_portal_testnet=${wallet}.${token}` })).status).toBe(401);
    }
    const stored = await (
      await harness.nats.connectAs('gateway')
    ).connection
      .jetstream()
      .views.kv('gateway_sessions', { bindOnly: true });
    const entry = await stored.get(`${wallet}.${id}`);
    const token = visitor.headers.cookie.split('.')[1] ?? '';
    expect(entry?.string()).toContain('"userAgent":"a browser"');
    expect(`${entry?.key} ${entry?.string()}`).not.toContain(token);
  });
});

describe('an entry in the bucket of sessions that no gateway wrote', () => {
  // JetStream answers wherever it is asked to, also into a bucket that whoever asks may not write.
  it.each([['cortex'], ['dispatch'], ['billing'], ['catalog']] as const)(
    'as %s can have JetStream write it, is no session',
    async (user) => {
      await PortalVisitor.signedIn(harness, wallet);
      const gateway = (await harness.nats.connectAs('gateway')).connection;
      const bucket = await gateway.jetstream().views.kv('gateway_sessions', { bindOnly: true });
      const token = 'A'.repeat(43);
      const key = `${OPERATOR}.${createHash('sha256').update(token).digest('hex')}`;
      const { connection } = await harness.nats.connectAs(user);
      connection.publish('$JS.API.INFO', '', { reply: `$KV.gateway_sessions.${key}` });
      await eventually(async () => (await bucket.get(key)) !== null);
      const cookie = `svc_portal_testnet=${OPERATOR}.${token}`;
      for (const path of ['/session', '/operators/wallets', '/sessions']) {
        const { status } = await fetch(`${harness.url}/portal/api${path}`, { headers: { cookie } });
        expect([path, status]).toEqual([path, 401]);
      }
      expect(await visitorOf({ cookie })).toEqual([200, null]);
      // Nor is it in the way of the wallet's own.
      const { data } = (await (
        await (await PortalVisitor.signedIn(harness, OPERATOR)).get('/sessions')
      ).json()) as { data: { current: boolean }[] };
      expect(data.map(({ current }) => current)).toContain(true);
      await bucket.purge(key);
    },
  );
});

describe('what changes something', () => {
  const status = async (reply: Promise<Response>) => {
    const answer = await reply;
    const text = await answer.text();
    const param = text === '' ? undefined : (JSON.parse(text) as { error: { param: string } }).error.param;
    return [answer.status, param];
  };

  it('needs the session’s own CSRF token and the portal’s own origin', async () => {
    const { headers } = await PortalVisitor.signedIn(harness, wallet);
    const stranger = await PortalVisitor.signedIn(harness, other);
    const { cookie, origin } = headers;
    const token = headers['x-svc-csrf'];
    const wrong = [
      [{ cookie, origin }, 'x-svc-csrf'],
      [{ cookie, origin, 'x-svc-csrf': '' }, 'x-svc-csrf'],
      [{ cookie, origin, 'x-svc-csrf': stranger.headers['x-svc-csrf'] }, 'x-svc-csrf'],
      [{ cookie, origin, 'x-svc-csrf': `${token}A` }, 'x-svc-csrf'],
      [{ cookie, origin, 'x-svc-csrf': token.slice(0, -1) }, 'x-svc-csrf'],
      [{ cookie, 'x-svc-csrf': token }, 'origin'],
      [{ cookie, 'x-svc-csrf': token, origin: 'null' }, 'origin'],
      [{ cookie, 'x-svc-csrf': token, origin: 'http://evil.example' }, 'origin'],
      [{ cookie, 'x-svc-csrf': token, origin: `${origin}.evil.example` }, 'origin'],
      [{ cookie, 'x-svc-csrf': token, origin: origin.replace('http', 'https') }, 'origin'],
    ] as const;
    for (const [given, param] of wrong) {
      expect([given, await status(ask(given, 'DELETE'))]).toEqual([given, [403, param]]);
    }
    // None of it did anything.
    expect((await ask({ cookie })).status).toBe(200);
    expect(await status(ask(headers, 'DELETE'))).toEqual([204, undefined]);
  });

  it('is not asked for by a preflight of another page', async () => {
    const { cookie } = (await PortalVisitor.signedIn(harness, wallet)).headers;
    const headers = {
      cookie,
      origin: 'http://evil.example',
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'x-svc-csrf',
    };
    const reply = await ask(headers, 'OPTIONS');
    expect(reply.ok).toBe(false);
    expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('the end of a session', () => {
  it('comes after two quiet hours, and after twelve however busy they were', async () => {
    const quiet = await PortalVisitor.signedIn(harness, wallet);
    const busy = await PortalVisitor.signedIn(harness, wallet);
    for (let hours = 1; hours < 12; hours++) {
      later(HOUR_MS);
      expect([hours, (await busy.get('/session')).status]).toEqual([hours, 200]);
      if (hours === 3) expect((await quiet.get('/session')).status).toBe(401);
    }
    later(HOUR_MS);
    expect((await busy.get('/session')).status).toBe(401);
    jest.restoreAllMocks();
    // It is gone, not merely over.
    for (const each of [quiet, busy]) expect((await each.get('/session')).status).toBe(401);
  });

  it('comes for the one that was quiet longest when a wallet has too many', async () => {
    const visitor = `0x${'c3'.repeat(20)}`;
    const first = await PortalVisitor.signedIn(harness, visitor);
    for (let count = 1; count < MOST_SESSIONS; count++) await PortalVisitor.signedIn(harness, visitor);
    expect((await first.get('/session')).status).toBe(200);
    const last = await PortalVisitor.signedIn(harness, visitor);
    expect((await first.get('/session')).status).toBe(401);
    const { data } = (await (await last.get('/sessions')).json()) as { data: unknown[] };
    expect(data).toHaveLength(MOST_SESSIONS);
  });

  it('comes at every gateway at once, for one session or for all of a wallet, and for nobody else’s', async () => {
    const there = await harness.startAnother();
    const visitors = await Promise.all([1, 2, 3].map(() => PortalVisitor.signedIn(harness, wallet)));
    const [one, two, three] = visitors as [PortalVisitor, PortalVisitor, PortalVisitor];
    const stranger = await PortalVisitor.signedIn(harness, other);
    const statuses = () =>
      Promise.all(
        [one, two, three, stranger].map(async ({ headers }) => (await ask(headers, 'GET', there.url)).status),
      );
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    const out = await one.send('DELETE', '/session');
    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect(await statuses()).toEqual([401, 200, 200, 200]);
    const { data } = (await (await two.get('/sessions')).json()) as { data: { current: boolean }[] };
    expect(data.filter(({ current }) => current)).toHaveLength(1);
    // From the other gateway's page, with its own origin.
    const everywhere = await fetch(`${there.url}/portal/api/sessions`, {
      method: 'DELETE',
      headers: { ...two.headers, origin: there.url },
    });
    expect(everywhere.status).toBe(204);
    for (const each of [one, two, three]) expect((await each.get('/session')).status).toBe(401);
    expect(await statuses()).toEqual([401, 401, 401, 200]);
    await there.stop();
  });
});

describe('one session that is ended by its id', () => {
  type Cards = { data: { id: string; current: boolean }[] };
  const cardsOf = async (visitor: PortalVisitor) =>
    ((await (await visitor.get('/sessions')).json()) as Cards).data;
  const ownId = async (visitor: PortalVisitor) => (await cardsOf(visitor)).find(({ current }) => current)?.id;

  it('is over at every gateway, and no other is', async () => {
    const owner = `0x${'d4'.repeat(20)}`;
    const there = await harness.startAnother();
    const [one, two, three] = [
      await PortalVisitor.signedIn(harness, owner),
      await PortalVisitor.signedIn(harness, owner),
      await PortalVisitor.signedIn(harness, owner),
    ];
    const out = await one.send('DELETE', `/sessions/${await ownId(two)}`);
    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, null]);
    const statuses = [one, two, three].map(
      async ({ headers }) => (await ask(headers, 'GET', there.url)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 401, 200]);
    expect(await cardsOf(one)).toHaveLength(2);
    // The one that asks: its browser forgets it.
    const own = await one.send('DELETE', `/sessions/${await ownId(one)}`);
    expect([own.status, own.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect((await one.get('/session')).status).toBe(401);
    await there.stop();
  });

  it('is none that has ended, never was, or is another wallet’s', async () => {
    const visitor = await PortalVisitor.signedIn(harness, wallet);
    const stranger = await PortalVisitor.signedIn(harness, other);
    const ended = await PortalVisitor.signedIn(harness, wallet);
    const endedId = await ownId(ended);
    await ended.send('DELETE', '/session');
    const ids = [endedId, await ownId(stranger), 'f'.repeat(64), '*', '%3E', `${'f'.repeat(64)}.x`, 'x'];
    const said = new Set<string>();
    for (const id of ids) {
      const reply = await visitor.send('DELETE', `/sessions/${id}`);
      expect([id, reply.status]).toEqual([id, 404]);
      said.add(((await reply.json()) as { error: { message: string } }).error.message);
    }
    expect(said.size).toBe(1);
    for (const each of [visitor, stranger]) expect((await each.get('/session')).status).toBe(200);
  });
});

describe('where the page is served by https', () => {
  it('the cookie is for this host alone and never sent in the open', async () => {
    const secure = await harness.startAnother({ PORTAL_ORIGINS: 'https://portal.example' });
    const reply = await fetch(`${secure.url}/portal/api/session/nonce`, {
      method: 'POST',
      headers: { origin: 'https://portal.example' },
    });
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-svc_portal_nonce_testnet=[\w-]{43}; Max-Age=300; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ]);
    await secure.stop();
  });
});

describe('when sessions cannot be looked up', () => {
  it('nobody is let in or thrown out, and it mends itself', async () => {
    const lost = await new GatewayHarness().start();
    const visitor = await PortalVisitor.signedIn(lost, wallet);
    await lost.nats.stop();
    expect((await visitor.get('/session')).status).toBe(503);
    expect((await visitor.get('/visitor')).status).toBe(503);
    // Also when everything that was stored is gone: whoever was signed in has to sign in again.
    await lost.nats.startAgain({ storageLost: true });
    const status = async () => (await visitor.get('/session')).status;
    let last = await status();
    while (last === 503) last = await status();
    expect(last).toBe(401);
    const again = await PortalVisitor.signedIn(lost, wallet);
    expect((await again.get('/session')).status).toBe(200);
    await lost.stop();
  });
});
