import { hashApiKey, isWellFormedApiKey } from '@svc/api-key';
import { billingContracts } from '@svc/contracts';
import type { KeyView, UpdateKeyRequest } from '@svc/contracts';
import { invalidRequest, notFound } from '@svc/errors';
import { FakeService } from '../../testing/fake-service.for-spec';
import { GatewayHarness } from '../../testing/gateway-harness.for-spec';
import { PortalVisitor } from '../../testing/portal-visitor.for-spec';
import type { KeyValue } from './wallet-key.dto';

const wallet = `0x${'a1'.repeat(20)}`;
const token = '3f1c8a52-9d0b-4b7e-8f61-2b8a1c0d9e47';
const harness = new GatewayHarness();
let billing: FakeService;
let visitor: PortalVisitor;

const view: KeyView = {
  ...{ keyId: 'key_1', wallet, name: '<img src=x onerror=alert(1)>', lastFour: 'abcd', state: 'active' },
  ...{ createdAt: '2026-11-01T00:00:00.000Z', lastUsedAt: null, previousExpiresAt: null },
  ...{ budgetCap: '5000000', budgetReset: 'monthly', resetsAt: '2026-12-01T00:00:00.000Z' },
  ...{ spent: '1250001', held: '40', spendable: '3749959' },
};

beforeAll(async () => {
  await harness.start();
  billing = new FakeService((await harness.nats.connectAs('billing')).connection);
  visitor = await PortalVisitor.signedIn(harness, wallet);
});
afterAll(() => harness.stop());

beforeEach(async () => {
  await billing.answer(billingContracts.createKey, { keyId: 'key_1' });
  await billing.answer(billingContracts.listKeys, { keys: [view] });
  await billing.answer(billingContracts.updateKey, view);
  await billing.answer(billingContracts.rotateKey, { keyId: 'key_1' });
  await billing.answer(billingContracts.revokeKey, { keyId: 'key_1' });
});

const creation = { name: 'laptop', request_token: token };

async function made(reply: Response): Promise<KeyValue> {
  expect([reply.ok, reply.headers.get('cache-control')]).toEqual([true, 'no-store']);
  return (await reply.json()) as KeyValue;
}

async function refusal(reply: Response) {
  const { error } = (await reply.json()) as {
    error: { code: string; param: string | null; message: string };
  };
  return [reply.status, error.code, error.param];
}

describe('making a key', () => {
  it('tells its value once; billing gets a hash', async () => {
    const { id, value, last_four } = await made(
      await visitor.send('POST', '/keys', {
        ...{ ...creation, name: ' laptop ' },
        ...{ budget_usdc: '25.5', budget_reset: 'monthly' },
      }),
    );
    expect(id).toBe('key_1');
    expect(isWellFormedApiKey(value, 'svc_test_')).toBe(true);
    expect(last_four).toBe(value.slice(-4));
    expect(billing.lastOf(billingContracts.createKey)).toEqual({
      ...{
        wallet,
        name: 'laptop',
        lastFour: last_four,
        keyHash: hashApiKey(value, 'a pepper for tests only'),
      },
      ...{ budgetCap: '25500000', budgetReset: 'monthly' },
    });
    const asked = JSON.stringify(billing.asked);
    expect(asked).not.toContain(value);
    expect(asked).not.toContain(token);
    expect(harness.logLines.join('')).not.toContain(value);
  });

  it('is safe to repeat: the same request has the same reply, and another one never', async () => {
    const first = await made(await visitor.send('POST', '/keys', creation));
    expect(await made(await visitor.send('POST', '/keys', creation))).toEqual(first);
    const elsewhere = await PortalVisitor.signedIn(harness, wallet);
    const others = await Promise.all([
      visitor.send('POST', '/keys', { ...creation, request_token: token.toUpperCase() }),
      visitor.send('POST', '/keys', { ...creation, name: 'another' }),
      visitor.send('POST', '/keys', { ...creation, budget_usdc: '1' }),
      visitor.send('POST', '/keys/key_1/rotate', { overlap_seconds: 0, request_token: token }),
      elsewhere.send('POST', '/keys', creation),
    ]);
    const values = await Promise.all(others.map(async (reply) => (await made(reply)).value));
    expect(new Set([first.value, ...values]).size).toBe(6);
  });

  it('makes a wallet known that billing has not met', async () => {
    let known = false;
    await billing.answer(billingContracts.createKey, () =>
      known
        ? { keyId: 'key_new' }
        : notFound('The wallet is not known here; check the address, or register it.', 'wallet'),
    );
    await billing.answer(billingContracts.registerWallet, () => {
      known = true;
      return {} as never;
    });
    expect((await made(await visitor.send('POST', '/keys', creation))).id).toBe('key_new');
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: '   ' }, 'name'],
    [{ name: 'x'.repeat(81) }, 'name'],
    [{ name: 'line\nbreak' }, 'name'],
    [{ name: 'bell\u0007' }, 'name'],
    [{ name: 'reversed \u202e' }, 'name'],
    [{ name: 'zero\u200bwidth' }, 'name'],
    [{ name: 'half \ud800' }, 'name'],
    [{ name: 7 }, 'name'],
    [{ name: ['laptop'] }, 'name'],
    [{ budget_usdc: '0' }, 'budget_usdc'],
    [{ budget_usdc: '0.0000000' }, 'budget_usdc'],
    [{ budget_usdc: '-1' }, 'budget_usdc'],
    [{ budget_usdc: '1e9' }, 'budget_usdc'],
    [{ budget_usdc: 5 }, 'budget_usdc'],
    [{ budget_usdc: '1.0000001' }, 'budget_usdc'],
    [{ budget_usdc: '9223372036854.775808' }, 'budget_usdc'],
    [{ budget_usdc: '9'.repeat(100) }, 'budget_usdc'],
    [{ budget_reset: 'hourly' }, 'budget_reset'],
    [{ request_token: undefined }, 'request_token'],
    [{ request_token: 'short' }, 'request_token'],
    [{ request_token: 'x'.repeat(65) }, 'request_token'],
    // Ignored, it would be a key that may spend everything.
    [{ budget: '25' }, 'budget'],
    [{ expires_at: '2026-12-01T00:00:00Z' }, 'expires_at'],
  ])('refuses %j', async (change, param) => {
    const before = billing.timesAsked(billingContracts.createKey);
    const reply = await visitor.send('POST', '/keys', { ...creation, ...change });
    expect(await refusal(reply)).toEqual([400, 'invalid_request', param]);
    expect(billing.timesAsked(billingContracts.createKey)).toBe(before);
  });

  it.each(['کتاب\u200cها', 'team 👩\u200d👩'])('takes %j as a name: a joiner joins there', async (name) => {
    await made(await visitor.send('POST', '/keys', { ...creation, name }));
    expect(billing.lastOf(billingContracts.createKey).name).toBe(name);
  });

  it('says of a character that nobody sees that it is one', async () => {
    const reply = await visitor.send('POST', '/keys', { ...creation, name: 'team \u200d' });
    expect(await reply.json()).toMatchObject({
      error: { message: 'name must not hold control or invisible characters.' },
    });
  });

  it('names what billing refuses in the page’s words', async () => {
    await billing.answer(
      billingContracts.createKey,
      invalidRequest('A budget that is reset needs a cap; set both.', 'budgetReset'),
    );
    const reply = await visitor.send('POST', '/keys', { ...creation, budget_reset: 'daily' });
    expect(await refusal(reply)).toEqual([400, 'invalid_request', 'budget_reset']);
  });

  it('is for the portal’s own page and a session', async () => {
    const forged = [
      { ...visitor.headers, origin: 'https://evil.example' },
      { ...visitor.headers, 'x-svc-csrf': 'guess' },
      { origin: visitor.headers.origin },
    ];
    const before = billing.timesAsked(billingContracts.createKey);
    for (const headers of forged) {
      const reply = await fetch(`${harness.url}/portal/api/keys`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(creation),
      });
      expect([401, 403]).toContain(reply.status);
    }
    expect(billing.timesAsked(billingContracts.createKey)).toBe(before);
  });
});

describe('the wallet’s keys', () => {
  it('are listed without a value, and their names end no script', async () => {
    const playground = { ...view, keyId: 'key_2', lastFour: '(pg)', budgetCap: null, budgetReset: null };
    await billing.answer(billingContracts.listKeys, { keys: [view, playground] });
    const reply = await visitor.get('/keys');
    const text = await reply.text();
    expect(text).not.toContain('<img');
    expect(text).not.toMatch(/svc_test_/);
    expect(JSON.parse(text)).toEqual({
      keys: [
        {
          ...{ id: 'key_1', object: 'key', name: view.name, last_four: 'abcd', wallet, state: 'active' },
          ...{ created_at: view.createdAt, last_used_at: null, previous_expires_at: null, purpose: 'api' },
          budget: { cap_usdc: '5.000000', reset: 'monthly', resets_at: '2026-12-01T00:00:00.000Z' },
          ...{ spent_usdc: '1.250001', held_usdc: '0.000040', spendable_usdc: '3.749959' },
        },
        expect.objectContaining({ id: 'key_2', budget: null, purpose: 'playground' }),
      ],
    });
    expect(billing.lastOf(billingContracts.listKeys)).toEqual({ wallet });
  });

  it('are changed in what is given, and in nothing else', async () => {
    const changes: [object, Partial<UpdateKeyRequest>][] = [
      [{ name: ' home ' }, { name: 'home' }],
      [
        { budget_usdc: '0.000001', budget_reset: 'never' },
        { budgetCap: '1', budgetReset: 'never' },
      ],
      [{ remove_budget: true }, { removeBudget: true }],
      [{ disabled: true }, { disabled: true }],
    ];
    for (const [change, asked] of changes) {
      const reply = await visitor.send('PATCH', '/keys/key_1', change);
      expect([reply.status, await reply.json()]).toEqual([200, expect.objectContaining({ id: 'key_1' })]);
      expect(billing.lastOf(billingContracts.updateKey)).toEqual({ wallet, keyId: 'key_1', ...asked });
    }
    const before = billing.timesAsked(billingContracts.updateKey);
    for (const field of ['wallet', 'keyId', 'budget']) {
      const reply = await visitor.send('PATCH', '/keys/key_1', { disabled: false, [field]: '1' });
      expect(await refusal(reply)).toEqual([400, 'invalid_request', field]);
    }
    expect(billing.timesAsked(billingContracts.updateKey)).toBe(before);
    await billing.answer(billingContracts.updateKey, invalidRequest('too low', 'budgetCap'));
    const tooLow = await visitor.send('PATCH', '/keys/key_1', { budget_usdc: '1' });
    expect(await refusal(tooLow)).toEqual([400, 'invalid_request', 'budget_usdc']);
  });

  it('are rotated with an overlap, and the new value is told once', async () => {
    const rotation = { overlap_seconds: 3_600, request_token: token };
    const first = await made(await visitor.send('POST', '/keys/key_1/rotate', rotation));
    expect(billing.lastOf(billingContracts.rotateKey)).toEqual({
      ...{ wallet, keyId: 'key_1', overlapSeconds: 3_600, lastFour: first.last_four },
      keyHash: hashApiKey(first.value, 'a pepper for tests only'),
    });
    expect(await made(await visitor.send('POST', '/keys/key_1/rotate', rotation))).toEqual(first);
    for (const overlap_seconds of [-1, 0.5, 30 * 86_400 + 1, '60', undefined]) {
      const reply = await visitor.send('POST', '/keys/key_1/rotate', { ...rotation, overlap_seconds });
      expect(await refusal(reply)).toEqual([400, 'invalid_request', 'overlap_seconds']);
    }
    const mistyped = await visitor.send('POST', '/keys/key_1/rotate', { ...rotation, overlap: 60 });
    expect(await refusal(mistyped)).toEqual([400, 'invalid_request', 'overlap']);
    await billing.answer(billingContracts.listKeys, { keys: [{ ...view, lastFour: '(pg)' }] });
    const playground = await visitor.send('POST', '/keys/key_1/rotate', rotation);
    expect(await refusal(playground)).toEqual([409, 'invalid_request', 'id']);
  });

  it('are revoked for good', async () => {
    const reply = await visitor.send('POST', '/keys/key_1/revoke');
    expect([reply.status, await reply.text()]).toEqual([204, '']);
    expect(billing.lastOf(billingContracts.revokeKey)).toEqual({ wallet, keyId: 'key_1' });
  });

  it('are nobody else’s: another’s, an unknown and no id at all have the same reply', async () => {
    const unknown = notFound('The wallet has no such key.', 'keyId');
    await billing.answer(billingContracts.updateKey, unknown);
    await billing.answer(billingContracts.rotateKey, unknown);
    await billing.answer(billingContracts.revokeKey, unknown);
    const bodies = new Set<string>();
    for (const id of ['key_other', 'x', "key_1'--", '%00', '..%2fkey_1', 'k'.repeat(200)]) {
      for (const reply of [
        await visitor.send('PATCH', `/keys/${id}`, { name: 'mine now' }),
        await visitor.send('POST', `/keys/${id}/rotate`, { overlap_seconds: 0, request_token: token }),
        await visitor.send('POST', `/keys/${id}/revoke`),
      ]) {
        expect([id, reply.status]).toEqual([id, 404]);
        bodies.add(await reply.text());
      }
    }
    expect([...bodies].map((body) => JSON.parse(body) as unknown)).toEqual([
      {
        error: {
          message: 'You have no such key.',
          type: 'invalid_request_error',
          code: 'invalid_request',
          param: 'id',
        },
      },
    ]);
  });
});
