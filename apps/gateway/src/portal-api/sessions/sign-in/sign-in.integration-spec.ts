import { billingContracts } from '@svc/contracts';
import { Pool } from 'undici';
import type { SiweMessage } from 'viem/siwe';
import { FakeService } from '../../../testing/fake-service.for-spec';
import { GatewayHarness, OPERATOR } from '../../../testing/gateway-harness.for-spec';
import { PortalVisitor } from '../../../testing/portal-visitor.for-spec';
import { SigningBrowser, answerSignIns, cookiesIn } from '../../../testing/sign-in.for-spec';

const harness = new GatewayHarness();
let billing: FakeService;

beforeAll(async () => {
  await harness.start({ PORTAL_SIGN_INS_PER_MINUTE: '100000' });
  billing = new FakeService((await harness.nats.connectAs('billing')).connection);
  await answerSignIns(billing);
});
afterAll(() => harness.stop());
afterEach(() => jest.restoreAllMocks());

interface Refusal {
  error: { message: string; param: string | null; code: string };
}

async function refusal(reply: Response): Promise<{ status: number; param: string | null; message: string }> {
  const { error } = (await reply.json()) as Refusal;
  expect(reply.headers.getSetCookie()).toEqual([]);
  return { status: reply.status, param: error.param, message: error.message };
}

describe('signing in', () => {
  it('begins a session, which its cookie alone opens', async () => {
    const browser = new SigningBrowser(harness.url);
    const reply = await browser.signInProperly();
    expect(reply.status).toBe(201);
    const session = (await reply.json()) as { wallet: string; csrf_token: string };
    expect(session).toMatchObject({ wallet: browser.address, is_operator: false });
    const [cookie, nonceCookie] = reply.headers.getSetCookie();
    expect(cookie).toMatch(
      /^svc_portal_testnet=0x[0-9a-f]{40}\.[\w-]{43}; Max-Age=43200; Path=\/portal; HttpOnly; SameSite=Strict$/,
    );
    expect(nonceCookie).toContain('Max-Age=0');
    expect(await (await browser.get('/session')).json()).toEqual(session);
  });

  it('takes a nonce once, even when it comes twice at once', async () => {
    const browser = new SigningBrowser(harness.url);
    const message = browser.message(await browser.nonce());
    const replies = await Promise.all([1, 2, 3, 4].map(() => browser.signIn(message)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(await refusal(await browser.signIn(message))).toMatchObject({ status: 409, param: 'message' });
  });

  it('takes a nonce from the browser alone that it was given to', async () => {
    const victim = new SigningBrowser(harness.url);
    const thief = new SigningBrowser(harness.url);
    const message = victim.message(await victim.nonce());
    const signature = await victim.wallet.signMessage(message);
    await thief.nonce();
    expect(await refusal(await thief.send(message, signature))).toMatchObject({ status: 400 });
    thief.cookies = '';
    const refused = await refusal(await thief.send(message, signature));
    expect(refused).toMatchObject({
      status: 400,
      param: 'message',
      message: expect.stringMatching(/browser/) as string,
    });
  });

  it('takes no nonce after five minutes, and none that is made up', async () => {
    const browser = new SigningBrowser(harness.url);
    const nonce = await browser.nonce();
    const later = Date.now() + 6 * 60_000;
    jest.spyOn(Date, 'now').mockReturnValue(later);
    const late = browser.message(nonce, { issuedAt: new Date(later), expirationTime: undefined });
    expect((await refusal(await browser.signIn(late))).message).toMatch(/expired/);
    jest.restoreAllMocks();
    for (const forged of [
      nonce.slice(0, -1) + (nonce.endsWith('0') ? '1' : '0'),
      'a'.repeat(nonce.length),
      'abcdefgh',
    ]) {
      expect((await refusal(await browser.signIn(browser.message(forged)))).status).toBe(400);
    }
  });

  it.each<[string, () => Partial<SiweMessage>, RegExp]>([
    ['for another domain', () => ({ domain: 'evil.example' }), /another site/],
    ['for another port', () => ({ domain: '127.0.0.1:1' }), /another site/],
    ['for another URI', () => ({ uri: 'http://evil.example' }), /another site/],
    ['for another scheme', () => ({ scheme: 'https' }), /another site/],
    ['for a URI of another scheme', () => ({ uri: 'https://127.0.0.1' }), /another site/],
    ['for another chain', () => ({ chainId: 1 }), /another chain/],
    ['that has expired', () => ({ expirationTime: new Date(Date.now() - 1_000) }), /expired/],
    ['that is not valid yet', () => ({ notBefore: new Date(Date.now() + 300_000) }), /not valid yet/],
    ['from the future', () => ({ issuedAt: new Date(Date.now() + 300_000) }), /future/],
    ['from long ago', () => ({ issuedAt: new Date(Date.now() - 1_200_000) }), /too long ago/],
  ])('takes no message %s', async (_, fields, words) => {
    const browser = new SigningBrowser(harness.url);
    const message = browser.message(await browser.nonce(), fields());
    const refused = await refusal(await browser.signIn(message));
    expect(refused).toMatchObject({
      status: 400,
      param: 'message',
      message: expect.stringMatching(words) as string,
    });
  });

  it.each<[string, (text: string) => string]>([
    [
      'with an address in lower case',
      (text) => text.replace(/0x[0-9a-fA-F]{40}/, (found) => found.toLowerCase()),
    ],
    ['with a space behind it', (text) => `${text} `],
    [
      'with a line behind it',
      (text) => `${text}\nResources:\n- https://evil.example`.replace('\nResources:', '\nResources: '),
    ],
    ['with a line before it', (text) => `\n${text}`],
    ['with line ends of another system', (text) => text.replaceAll('\n', '\r\n')],
    ['with a time without milliseconds', (text) => text.replace(/\.\d{3}Z/, 'Z')],
    ['with two nonces', (text) => text.replace(/(Nonce: .*)/, '$1\nNonce: abcdefgh')],
    ['of version 2', (text) => text.replace('Version: 1', 'Version: 2')],
    ['with a chain id written otherwise', (text) => text.replace('Chain ID: ', 'Chain ID: 0')],
    ['that is something else', () => 'Hello'],
  ])('takes no message %s', async (_, change) => {
    const browser = new SigningBrowser(harness.url);
    const message = change(browser.message(await browser.nonce()));
    expect(await refusal(await browser.signIn(message))).toMatchObject({ status: 400, param: 'message' });
  });

  it('takes no signature of another wallet, and no other text under it', async () => {
    const browser = new SigningBrowser(harness.url);
    const stranger = new SigningBrowser(harness.url);
    const message = browser.message(await browser.nonce());
    const theirs = await stranger.wallet.signMessage(message);
    expect(await refusal(await browser.send(message, theirs))).toMatchObject({
      status: 400,
      param: 'signature',
    });
    const other = browser.message(await browser.nonce(), { statement: 'Something else.' });
    const ours = await browser.wallet.signMessage(message);
    expect(await refusal(await browser.send(other, ours))).toMatchObject({ status: 400, param: 'signature' });
    // A wrong signature does not use the nonce up.
    expect((await browser.signIn(other)).status).toBe(201);
  });

  it.each([
    ['no signature', { message: 'x' }, 'signature'],
    ['no message', { signature: '0x00' }, 'message'],
    ['a signature that is not hex', { message: 'x', signature: 'zz' }, 'signature'],
    ['a message beyond all measure', { message: 'x'.repeat(4_001), signature: '0x00' }, 'message'],
  ])('takes no body with %s', async (_, body, param) => {
    const reply = await new SigningBrowser(harness.url).post('/session', body);
    expect(await refusal(reply)).toMatchObject({ status: 400, param });
  });

  it('reads no large body of whoever is not signed in', async () => {
    const reply = await new SigningBrowser(harness.url).post('/session', { message: 'x'.repeat(20_000) });
    expect(reply.status).toBe(413);
  });

  it.each<[string, Record<string, string>]>([
    ['from another origin', { origin: 'http://evil.example' }],
    ['from no origin', { origin: 'null' }],
  ])('is refused %s', async (_, headers) => {
    const browser = new SigningBrowser(harness.url);
    const message = browser.message(await browser.nonce());
    expect(await refusal(await browser.signIn(message, headers))).toMatchObject({
      status: 403,
      param: 'origin',
    });
  });

  it('is refused when it was sent to another host of the same gateway', async () => {
    const browser = new SigningBrowser(harness.url.replace('127.0.0.1', 'localhost'));
    expect(await refusal(await browser.post('/session/nonce', {}))).toMatchObject({ status: 403 });
    const message = browser.message('a'.repeat(76));
    const reply = await browser.signIn(message, { origin: harness.url });
    expect(await refusal(reply)).toMatchObject({
      status: 403,
      param: 'origin',
      // The page that it came from is the right one: to name it would help nobody.
      message: expect.stringMatching(/under another Host/) as string,
    });
  });

  it('ends the session that the browser had, and takes over none that somebody planted', async () => {
    const browser = new SigningBrowser(harness.url);
    await browser.signInProperly();
    const former = browser.cookies;
    const nonce = await browser.nonce();
    const both = `${former}; ${browser.cookies}`;
    const reply = await browser.signIn(browser.message(nonce), { cookie: both });
    expect(reply.status).toBe(201);
    browser.cookies = former;
    expect((await browser.get('/session')).status).toBe(401);
    // Fixation: the attacker's own session, planted in the victim's browser, stays the attacker's and is ended.
    const attacker = await PortalVisitor.signedIn(harness, `0x${'ee'.repeat(20)}`);
    const victim = new SigningBrowser(harness.url);
    const fresh = await victim.nonce();
    const cookie = `${attacker.headers.cookie}; ${victim.cookies}`;
    const signedIn = await victim.signIn(victim.message(fresh), { cookie });
    expect(cookiesIn(signedIn)).not.toContain(attacker.headers.cookie);
    expect((await attacker.get('/session')).status).toBe(401);
  });

  it('says who is an operator', async () => {
    const operator = await PortalVisitor.signedIn(harness, OPERATOR);
    expect(await (await operator.get('/session')).json()).toMatchObject({ is_operator: true });
  });
});

describe('10,000 attempts to sign in', () => {
  it('leave nothing behind, and ask nobody for the unsigned ones', async () => {
    const before = billing.timesAsked(billingContracts.verifySignature);
    const statuses = new Map<number, number>();
    const connections = new Pool(harness.url, { connections: 8, pipelining: 16 });
    const message = new SigningBrowser(harness.url).message('a'.repeat(76));
    const unsigned = JSON.stringify({ message, signature: `0x${'00'.repeat(65)}` });
    const attempt = async (index: number) => {
      const isNonce = index % 2 === 0;
      const { statusCode, body } = await connections.request({
        method: 'POST',
        path: isNonce ? '/portal/api/session/nonce' : '/portal/api/session',
        headers: { origin: harness.url, 'content-type': 'application/json' },
        body: isNonce ? '{}' : unsigned,
      });
      await body.dump();
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
    };
    for (let done = 0; done < 10_000; done += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, index) => attempt(index)));
    }
    await connections.close();
    expect(Object.fromEntries(statuses)).toEqual({ 200: 5_000, 400: 5_000 });
    expect(billing.timesAsked(billingContracts.verifySignature)).toBe(before);
    const manager = await (await harness.nats.connectAs('gateway')).connection.jetstreamManager();
    // Only the nonces of those who did sign in above.
    expect((await manager.streams.info('KV_gateway_nonces')).state.messages).toBeLessThan(100);
  }, 240_000);

  it('are slowed by address', async () => {
    const slow = await new GatewayHarness().start({
      PORTAL_SIGN_INS_PER_MINUTE: '5',
      PORTAL_REQUESTS_PER_MINUTE: '3',
    });
    const browser = new SigningBrowser(slow.url);
    const replies: Response[] = [];
    for (let index = 0; index < 8; index++) replies.push(await browser.post('/session/nonce', {}));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect(Number(replies.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
    // Whoever is signed in is not kept from the rest.
    const visitor = await PortalVisitor.signedIn(slow, `0x${'a1'.repeat(20)}`);
    const reads: number[] = [];
    for (let index = 0; index < 4; index++) reads.push((await visitor.get('/session')).status);
    expect(reads).toEqual([200, 200, 200, 429]);
    // What needs no session counts among it.
    for (const path of ['/config', '/market', '/market/offers?model=svc/demo@1'])
      expect((await fetch(`${slow.url}/portal/api${path}`)).status).toBe(429);
    // Nor is anybody kept from the API.
    expect((await fetch(`${slow.url}/v1/models`)).status).toBe(200);
    await slow.stop();
  });
});

describe('the log', () => {
  it('holds no nonce, token, signature, message or CSRF token', async () => {
    const browser = new SigningBrowser(harness.url);
    const nonce = await browser.nonce();
    const browserSecret = browser.cookies.split('=')[1] ?? '';
    const message = browser.message(nonce);
    const signature = await browser.wallet.signMessage(message);
    const reply = await browser.send(message, signature);
    const { csrf_token: csrf } = (await reply.json()) as { csrf_token: string };
    const token = cookiesIn(reply).split('.')[1] ?? '';
    const secrets = [nonce, browserSecret, signature.slice(2), csrf, token];
    expect(secrets.every((secret) => secret.length > 20)).toBe(true);
    await browser.send(message, signature);
    const log = harness.logLines.join('');
    expect(log).toContain('"route":"portal"');
    for (const secret of secrets) expect(log).not.toContain(secret);
  });
});
