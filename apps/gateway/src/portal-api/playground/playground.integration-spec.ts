import { billingContracts } from '@svc/contracts';
import type { CreateKeyRequest, KeyView, WalletPosition } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { eventually } from '@svc/testing';
import { FakeService } from '../../testing/fake-service.for-spec';
import { GatewayHarness } from '../../testing/gateway-harness.for-spec';
import { PortalVisitor } from '../../testing/portal-visitor.for-spec';
import { PLAYGROUND_LAST_FOUR, playgroundKeyHash } from './playground-key';

const PEPPER = 'a pepper for tests only';
const PATH = '/playground/chat/completions';
const wallet = `0x${'a1'.repeat(20)}`;
const request = { model: 'svc/demo@1', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 };
const streamed = { ...request, stream: true };

const harness = new GatewayHarness();
let billing: FakeService;
let visitor: PortalVisitor;
/** Billing's keys, the newest first. */
let keys: KeyView[];
/** What billing says instead of making one. */
let noMoreKeys: SvcError | undefined;

function keyOf({
  name,
  lastFour,
  budgetCap,
  budgetReset,
}: Omit<CreateKeyRequest, 'wallet' | 'keyHash'>): KeyView {
  return {
    ...{ keyId: `key_${keys.length + 1}`, wallet, name, lastFour, state: 'active' },
    ...{ createdAt: '2026-11-21T00:00:00.000Z', lastUsedAt: null, previousExpiresAt: null },
    ...{ budgetCap: budgetCap ?? null, budgetReset: budgetReset ?? null, resetsAt: null },
    ...{ spent: '0', held: '0', spendable: budgetCap ?? '0' },
  };
}

beforeAll(async () => {
  await harness.start();
  billing = new FakeService((await harness.nats.connectAs('billing')).connection);
  await billing.answer(billingContracts.listKeys, () => ({ keys }));
  await billing.answer(billingContracts.registerWallet, {} as WalletPosition);
  await billing.answer(billingContracts.createKey, (made) => {
    if (noMoreKeys) return noMoreKeys;
    keys = [keyOf(made), ...keys];
    return { keyId: keys[0]?.keyId ?? '' };
  });
  await billing.answer(billingContracts.rotateKey, ({ keyId }) => ({ keyId }));
  await billing.answer(billingContracts.updateKey, ({ keyId, disabled }) => {
    const key = keys.find((each) => each.keyId === keyId) as KeyView;
    key.state = disabled ? 'disabled' : 'active';
    return key;
  });
  visitor = await PortalVisitor.signedIn(harness, wallet);
});
afterAll(() => harness.stop());

beforeEach(() => {
  keys = [];
  noMoreKeys = undefined;
  billing.asked.length = 0;
  harness.billing.admission = 'ok';
  harness.billing.admissions = [];
});

const post = (body: unknown, init: { headers?: Record<string, string>; signal?: AbortSignal } = {}) =>
  visitor.send('POST', PATH, body, init);
const errorOf = async (reply: Response) => ((await reply.json()) as { error: object }).error;
const withKey = () => {
  keys = [
    keyOf({ name: 'Playground', lastFour: PLAYGROUND_LAST_FOUR, budgetCap: '5000000', budgetReset: 'daily' }),
  ];
};

describe('a completion in the playground', () => {
  it('makes the wallet’s playground key at the first use, with a budget, and charges it', async () => {
    const replied = post(request);
    const run = await harness.dispatch.nextRun();
    const body = run.complete();
    const reply = await replied;
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual(body);
    expect(reply.headers.get('x-svc-hold-usdc')).toMatch(/^0\.0000\d\d$/);
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    const keyHash = playgroundKeyHash(wallet, 1, PEPPER);
    expect(billing.lastOf(billingContracts.createKey)).toEqual({
      ...{ wallet, keyHash, lastFour: PLAYGROUND_LAST_FOUR, name: 'Playground' },
      ...{ budgetCap: '5000000', budgetReset: 'daily' },
    });
    expect(billing.lastOf(billingContracts.registerWallet)).toEqual({ wallet });
    expect(harness.billing.admissions).toMatchObject([{ keyHash, model: 'svc/demo@1' }]);
  });

  it('uses that key from then on', async () => {
    withKey();
    const replied = post(request);
    (await harness.dispatch.nextRun()).complete();
    expect((await replied).status).toBe(200);
    expect(billing.timesAsked(billingContracts.createKey)).toBe(0);
    expect(harness.billing.admissions).toMatchObject([{ keyHash: playgroundKeyHash(wallet, 1, PEPPER) }]);
  });

  it('streams the bytes that /v1 streams', async () => {
    withKey();
    const events = [
      'data: {"a":"é漢🙂"}\n\n',
      'data: {"svc":{"cost_usdc":"0.000009"}}\n\ndata: [DONE]\n\n',
    ] as const;
    const texts: string[] = [];
    const heads: unknown[] = [];
    for (const ask of [() => harness.post(streamed), () => post(streamed)]) {
      const replied = ask();
      const run = await harness.dispatch.nextRun();
      run.send('data', events[0]);
      run.send('end', events[1]);
      const reply = await replied;
      heads.push([reply.status, reply.headers.get('content-type'), reply.headers.get('x-svc-hold-usdc')]);
      texts.push(await reply.text());
    }
    expect(texts).toEqual([events.join(''), events.join('')]);
    expect(heads[0]).toEqual(heads[1]);
  });

  it('is cancelled when the page stops listening, as on /v1', async () => {
    withKey();
    const stop = new AbortController();
    const replied = post(streamed, { signal: stop.signal });
    const run = await harness.dispatch.nextRun();
    run.send('data', 'data: 1\n\n');
    await replied;
    stop.abort();
    await eventually(() => harness.dispatch.cancels.includes(run.request.requestId));
  });

  it('is refused in the words of /v1', async () => {
    withKey();
    const quota = { code: 'insufficient_quota', message: 'Needed 0.1 USDC, spendable 0 USDC.' } as const;
    harness.billing.admission = quota;
    const poor = await post(request);
    expect([poor.status, poor.headers.get('x-should-retry')]).toEqual([402, 'false']);
    expect(await errorOf(poor)).toMatchObject(quota);
    const malformed = await post({ ...request, messages: 'Hello' });
    expect([malformed.status, await errorOf(malformed)]).toMatchObject([400, { param: 'messages' }]);
    const none = await post({ ...request, model: 'svc/gone@1' });
    expect([none.status, await errorOf(none)]).toMatchObject([404, { code: 'model_not_found' }]);
    const large = await post({ ...request, messages: [{ role: 'user', content: 'x'.repeat(5_000_000) }] });
    expect(large.status).toBe(413);
  });

  it('tells of the playground, not of a key, when it was revoked while it was asked', async () => {
    withKey();
    harness.billing.admission = { code: 'invalid_api_key', message: 'Incorrect API key provided.' };
    const reply = await post(request);
    expect([reply.status, await errorOf(reply)]).toMatchObject([409, { param: 'playground' }]);
  });

  it('says that it wants a key of its own when the wallet has as many as it may', async () => {
    const message = 'A wallet may have 100 keys that are not revoked.';
    noMoreKeys = new SvcError({ code: 'invalid_request', message, status: 409 });
    for (const path of [PATH, '/playground/key']) {
      const reply = await visitor.send('POST', path, request);
      const said = `The playground pays by a key of its own, and there is no room for one. ${message}`;
      expect([reply.status, await errorOf(reply)]).toMatchObject([409, { param: 'keys', message: said }]);
    }
  });

  it('needs a session, the page’s origin and its CSRF token', async () => {
    withKey();
    const bodies = { method: 'POST', body: JSON.stringify(request) };
    const json = { 'content-type': 'application/json' };
    const stranger = await fetch(`${harness.url}/portal/api${PATH}`, { ...bodies, headers: json });
    expect(stranger.status).toBe(401);
    const authorization = `Bearer ${harness.apiKey}`;
    const holder = { ...bodies, headers: { ...json, authorization } };
    expect((await fetch(`${harness.url}/portal/api${PATH}`, holder)).status).toBe(401);
    expect((await post(request, { headers: { 'x-svc-csrf': 'forged' } })).status).toBe(403);
    expect((await post(request, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect(harness.billing.admissions).toEqual([]);
  });

  it('can be sent by no key of /v1: what is hashed is none', async () => {
    const authorization = `Bearer playground:${wallet}:1`;
    const reply = await harness.post(request, { headers: { authorization } });
    expect(reply.status).toBe(401);
  });
});

describe('whether the playground is on', () => {
  const show = async () => (await visitor.get('/playground')).json();
  const turnOn = async () => (await visitor.send('POST', '/playground/key')).json();

  it('is on with the first use, or when it is turned on', async () => {
    expect(await show()).toEqual({ object: 'playground', state: 'unused', key: null });
    const on = { state: 'on', key: { name: 'Playground', budget: { cap_usdc: '5.000000', reset: 'daily' } } };
    expect(await turnOn()).toMatchObject(on);
    expect(await turnOn()).toMatchObject(on);
    expect(await show()).toMatchObject(on);
    expect(keys).toHaveLength(1);
  });

  it('is off when its key was revoked, until its owner turns it on: then it has another key', async () => {
    withKey();
    keys[0]!.state = 'revoked';
    expect(await show()).toMatchObject({ state: 'off' });
    const refused = await post(request);
    expect([refused.status, await errorOf(refused)]).toMatchObject([
      409,
      { code: 'invalid_request', param: 'playground' },
    ]);
    expect(await turnOn()).toMatchObject({ state: 'on', key: { id: 'key_2' } });
    expect(billing.lastOf(billingContracts.createKey)).toMatchObject({
      keyHash: playgroundKeyHash(wallet, 2, PEPPER),
    });
    const replied = post(request);
    (await harness.dispatch.nextRun()).complete();
    expect((await replied).status).toBe(200);
    expect(harness.billing.admissions).toMatchObject([{ keyHash: playgroundKeyHash(wallet, 2, PEPPER) }]);
  });

  it('is off when its key was disabled; turned on it is the same key', async () => {
    withKey();
    keys[0]!.state = 'disabled';
    expect(await show()).toMatchObject({ state: 'off' });
    expect(await turnOn()).toMatchObject({ state: 'on', key: { id: 'key_1' } });
    expect(keys).toHaveLength(1);
  });

  it('has the hash of this gateway’s pepper when it is turned on, whatever it had before', async () => {
    withKey();
    expect(await turnOn()).toMatchObject({ state: 'on', key: { id: 'key_1' } });
    expect(billing.lastOf(billingContracts.rotateKey)).toEqual({
      ...{ wallet, keyId: 'key_1', keyHash: playgroundKeyHash(wallet, 1, PEPPER) },
      ...{ lastFour: PLAYGROUND_LAST_FOUR, overlapSeconds: 0 },
    });
  });

  it('has nothing to do with keys that are called so', async () => {
    keys = [keyOf({ name: 'Playground', lastFour: 'abcd' })];
    expect(await show()).toMatchObject({ state: 'unused', key: null });
  });
});
