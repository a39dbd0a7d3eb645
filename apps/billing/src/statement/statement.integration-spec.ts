import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { billingContracts } from '@svc/contracts';
import type {
  CreditWalletRequest,
  ListUsageRequest,
  UsageGroup,
  UsageLine,
  UsageSelection,
} from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { eventually } from '@svc/testing';
import Ajv from 'ajv';
import {
  PROVIDER,
  addWallet,
  admission,
  charge,
  lapse,
  newHoldId,
  usageOf,
  untilReadable,
} from '../ledger/ledger.for-spec';
import type { TestWallet } from '../ledger/ledger.for-spec';
import { chargeOf } from '../hold/charge';
import { ProjectionService } from '../receipt/projection.service';
import { StatementHarness, addUnserved, addUsage, providerNumber } from './statement.for-spec';

const USDC = 1_000_000n;
let harness: StatementHarness;

beforeAll(async () => {
  harness = await StatementHarness.start();
});
afterAll(() => harness.stop());

async function projected(): Promise<void> {
  await untilReadable(harness.books);
  await harness.service.app.get(ProjectionService).project('statements');
}

async function admit(wallet: TestWallet, amount: bigint): Promise<string> {
  const operation = admission(wallet, amount);
  expect(await harness.books.ledger.admit(operation)).toMatchObject({ outcome: 'held' });
  return operation.holdId;
}

const post = ({ wallet }: TestWallet, holdId: string, cost: number) =>
  harness.books.ledger.resolve({ type: 'post', wallet, holdId, charge: charge(cost) });

/** What every refusal must leave as it was. */
const everything = async () =>
  harness.books.sql(`
    SELECT (SELECT coalesce(sum(posted + credited + held), 0) FROM billing.wallet)::text AS wallets,
           (SELECT count(*) FROM billing.transfer)::text AS transfers, (SELECT count(*) FROM billing.credit)::text AS credits,
           (SELECT count(*) FROM billing.wallet WHERE suspended_at IS NOT NULL)::text AS suspended`);

async function refusalOf(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!SvcError.is(error)) throw new Error(`no SvcError: ${String(error)}`);
  return { code: error.code, status: error.status, param: error.payload.param };
}

describe('a wallet’s position', () => {
  it('conserves available + held + unsettled, whatever happens', async () => {
    const wallet = await addWallet(harness.books, 100n * USDC);
    const conserved = async (collectable: bigint) => {
      const position = await harness.client.wallet.show({ wallet: wallet.wallet });
      const sum = BigInt(position.available) + BigInt(position.held) + BigInt(position.unsettled);
      expect(sum).toBe(BigInt(position.collectable));
      expect(sum).toBe(collectable);
      return position;
    };
    expect(await conserved(100n * USDC)).toMatchObject({ balance: null, suspension: null, openHolds: 0 });
    const first = await admit(wallet, 10n * USDC);
    const second = await admit(wallet, 5n * USDC);
    expect(await conserved(100n * USDC)).toMatchObject({
      held: '15000000',
      openHolds: 2,
      spendable: '85000000',
    });
    await post(wallet, first, 4_000_000);
    expect(await conserved(100n * USDC)).toMatchObject({
      held: '5000000',
      unsettled: '4000000',
      posted: '4000000',
    });
    await harness.books.ledger.resolve({ type: 'void', wallet: wallet.wallet, holdId: second });
    // The chain collects three of the four, and the approval is lowered below what is left.
    await harness.books.sql(
      `UPDATE billing.wallet SET settled_head = 3000000, settled_safe = 3000000, limit_head = 500000, limit_safe = 97000000
       WHERE wallet = $1`,
      [wallet.wallet],
    );
    expect(await conserved(500_000n)).toMatchObject({
      unsettled: '1000000',
      available: '-500000',
      spendable: '0',
    });
    await harness.client.credit.refund({
      wallet: wallet.wallet,
      holdId: first,
      reason: 'late',
      actor: 'ops',
    });
    expect(await conserved(500_000n)).toMatchObject({ unsettled: '-3000000', credited: '4000000' });
  });

  it('of a wallet that nobody knows is not found', async () => {
    const call = harness.client.wallet.show({ wallet: providerNumber(0xdead) });
    expect(await refusalOf(call)).toEqual({ code: 'invalid_request', status: 404, param: 'wallet' });
  });
});

const providerOf = (line: UsageLine) => (line.outcome === 'served' ? line.provider : '');
const nothing = () => ({
  ...{ requests: 0, unserved: 0, errors: 0, completionTokens: 0, charged: 0n },
  ...{ timed: 0, firstTokenMs: 0, totalMs: 0 },
});

describe('usage', () => {
  const from = '2026-01-30T22:30:00Z';
  let wallet: string;
  let lines: UsageLine[];

  /** Every page, one after the other. */
  async function listed(selection: Omit<ListUsageRequest, 'wallet'>): Promise<UsageLine[]> {
    const all: UsageLine[] = [];
    let cursor: string | undefined;
    do {
      const page = await harness.client.usage.list({ wallet, ...selection, cursor });
      expect(page.lines.length).toBeLessThanOrEqual(selection.limit ?? 50);
      all.push(...page.lines);
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    return all;
  }

  beforeAll(async () => {
    ({ wallet } = await addWallet(harness.books, USDC));
    // Some four days of it, with gaps between.
    await addUsage(harness.books, {
      wallet,
      rows: 600,
      from,
      stepSeconds: 613,
      keys: 3,
      models: 2,
      providers: 4,
    });
    await addUnserved(harness.books, { wallet, rows: 90, from, stepSeconds: 3_011, keys: 3, models: 2 });
    await projected();
    lines = await listed({ limit: 500 });
  });

  it('is listed whole, the newest first, late ones for nothing', () => {
    expect(lines).toHaveLength(690);
    expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(690);
    expect([...lines].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))).toEqual(lines);
    expect(lines[0]).toMatchObject({ requestId: 'req_000000600', keyId: 'key_0', refunded: false });
    const late = lines.filter((line) => line.outcome === 'served' && line.late);
    expect(late).toHaveLength(54);
    for (const { charged } of late) expect(charged).toBe('0');
  });

  it('lists what nobody served as well: why, what its client was told, and that it cost nothing', () => {
    const unserved = lines.filter(({ outcome }) => outcome === 'unserved');
    expect(unserved).toHaveLength(90);
    expect(unserved.find(({ requestId }) => requestId === 'req_f00000089')).toEqual({
      ...{ requestId: 'req_f00000089', outcome: 'unserved', createdAt: '2026-02-03T00:56:19.000000Z' },
      ...{ keyId: 'key_2', model: 'svc/model-0@1', held: '10', charged: '0', attempts: 1, totalMs: 50 },
      ...{ reason: 'no_capacity', code: 'no_capacity' },
      route: [{ offerId: 'offer-1', why: 'cheapest', outcome: 'busy' }],
    });
    expect(unserved.find(({ requestId }) => requestId === 'req_f00000090')).toMatchObject({
      reason: 'cancelled',
      code: null,
    });
  });

  it('says of each request which way it went, where that is known', () => {
    const route = [{ offerId: 'offer-1', why: 'cheapest', outcome: 'served' }];
    const served = lines.filter(({ outcome }) => outcome === 'served');
    expect(served.slice(0, 2).map((line) => line.route)).toEqual([route, null]);
  });

  it.each<Omit<ListUsageRequest, 'wallet'>>([
    { outcome: 'served', limit: 40 },
    { outcome: 'unserved' },
    { outcome: 'unserved', limit: 3, keyId: 'key_1' },
    { outcome: 'served', limit: 11, model: 'svc/model-1@1', from: '2026-02-01T03:10:11Z' },
    { outcome: 'unserved', provider: providerNumber(2) },
    { keyId: 'key_1' },
    { keyId: 'key_1', limit: 7 },
    { model: 'svc/model-1@1', limit: 33 },
    { provider: providerNumber(2), limit: 1 },
    { provider: providerNumber(3), keyId: 'key_2', model: 'svc/model-0@1', limit: 3 },
    { from: '2026-02-01T03:10:11Z', to: '2026-02-02T23:59:59.5Z', limit: 50 },
    { keyId: 'key_0', from: '2026-02-01T03:10:11Z', to: '2026-02-01T03:50:00Z', limit: 2 },
    { keyId: 'key_0', to: '2026-02-01T03:50:00Z', limit: 5 },
    { model: 'svc/model-0@1', from: '2026-02-01T03:10:11Z', limit: 10 },
    { keyId: 'key_9' },
    { from: '2027-01-01T00:00:00Z' },
  ])('is the same narrowed down by %j', async (selection) => {
    const { keyId, model, provider, outcome, from: first, to } = selection;
    const expected = lines.filter(
      (line) =>
        (keyId === undefined || line.keyId === keyId) &&
        (model === undefined || line.model === model) &&
        (outcome === undefined || line.outcome === outcome) &&
        (provider === undefined || providerOf(line) === provider) &&
        (first === undefined || Date.parse(line.createdAt) >= Date.parse(first)) &&
        (to === undefined || Date.parse(line.createdAt) < Date.parse(to)),
    );
    expect(await listed(selection)).toEqual(expected);
  });

  const unitOf = { hour: 13, day: 10, month: 7 } as const;

  it.each<
    { by: ('hour' | 'day' | 'month' | 'key' | 'model' | 'provider')[]; limit?: number } & Omit<
      UsageSelection,
      'wallet'
    >
  >([
    { by: [] },
    { by: ['hour'], limit: 10 },
    { by: ['day'] },
    { by: ['month'] },
    { by: ['key', 'model', 'provider'], limit: 5 },
    { by: ['day', 'model'], limit: 2 },
    { by: ['hour', 'provider'], limit: 50, keyId: 'key_1' },
    { by: ['day'], from: '2026-01-31T05:00:00Z', to: '2026-02-02T07:00:00Z' },
    { by: ['month', 'key'], from: '2026-02-01T05:00:00Z', to: '2026-02-01T07:00:00Z' },
    {
      by: ['hour'],
      from: '2026-01-31T05:00:00Z',
      to: '2026-02-01T07:00:00Z',
      limit: 500,
      model: 'svc/model-1@1',
    },
    { by: ['day', 'provider'], provider: providerNumber(1) },
  ])('adds up to the same by %j', async ({ by, limit, ...selection }) => {
    const groups: UsageGroup[] = [];
    let cursor: string | undefined;
    let totals;
    do {
      const page = await harness.client.usage.summarise({ wallet, by, limit, cursor, ...selection });
      groups.push(...page.groups);
      totals = page.totals;
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);

    const selected = await listed({ ...selection, limit: 500 });
    const unit = by.find((each) => each === 'hour' || each === 'day' || each === 'month');
    const expected = new Map<string, ReturnType<typeof nothing>>();
    for (const line of selected) {
      const key = [
        unit && line.createdAt.slice(0, unitOf[unit]),
        by.includes('key') ? line.keyId : undefined,
        by.includes('model') ? line.model : undefined,
        by.includes('provider') ? providerOf(line) : undefined,
      ].join();
      const sum = expected.get(key) ?? nothing();
      sum.charged += BigInt(line.charged);
      if (line.outcome === 'unserved') {
        sum.unserved++;
        if (line.reason !== 'cancelled') sum.errors++;
      } else {
        sum.requests++;
        sum.completionTokens += line.completionTokens;
        if (line.firstTokenMs !== null) sum.timed++;
        sum.firstTokenMs += line.firstTokenMs ?? 0;
        sum.totalMs += line.totalMs ?? 0;
      }
      expected.set(key, sum);
    }
    const found = groups.map(({ time, keyId, model, provider, promptTokens: _, charged, ...sums }) => {
      const key = [unit && time?.slice(0, unitOf[unit]), keyId, model, provider].join();
      return [key, { ...sums, charged: BigInt(charged) }];
    });
    expect(new Map(found as never)).toEqual(expected);
    expect(found).toHaveLength(expected.size);
    expect(totals).toMatchObject({
      requests: selected.filter(({ outcome }) => outcome === 'served').length,
      unserved: selected.filter(({ outcome }) => outcome === 'unserved').length,
      charged: String(selected.reduce((sum, { charged }) => sum + BigInt(charged), 0n)),
    });
  });

  it('is exported whole, head line first, and says how many rows there were', async () => {
    const exported = harness.client.usage.export({ wallet });
    let text = '';
    for await (const chunk of exported) text += Buffer.from(chunk).toString();
    const rows = text.trimEnd().split('\r\n');
    expect(rows).toHaveLength(691);
    expect(exported.rows).toBe(690);
    expect(rows[0]).toMatch(/^request_id,created_at,key_id,/);
    expect(rows.slice(1).map((row) => row.split(',')[0])).toEqual(lines.map(({ requestId }) => requestId));
  });
});

describe('one request', () => {
  const route = [{ offerId: 'offer-1', why: 'cheapest', outcome: 'busy' }];
  const show = (wallet: string, requestId: string) =>
    harness.gateway.call(billingContracts.showUsage, { wallet, requestId });

  it('that was served is known at once, with its times and what was given back of it', async () => {
    const wallet = await addWallet(harness.books, 100n * USDC);
    const holdId = await admit(wallet, USDC);
    const served = { ...usageOf(42), firstTokenMs: 120, totalMs: 900 };
    const operation = {
      type: 'post',
      wallet: wallet.wallet,
      holdId,
      charge: chargeOf(served, 9_000),
    } as const;
    await harness.books.ledger.resolve(operation);
    const line = { requestId: holdId, outcome: 'served', firstTokenMs: 120, totalMs: 900, charged: '42' };
    expect(await show(wallet.wallet, holdId)).toMatchObject({ line, refund: null, batchId: null });
    await harness.client.credit.refund({
      wallet: wallet.wallet,
      holdId,
      reason: 'bad answer',
      actor: 'support',
    });
    expect(await show(wallet.wallet, holdId)).toMatchObject({
      line: { ...line, refunded: true },
      refund: { amount: '42', reason: 'bad answer' },
    });
  });

  it('that nobody served says why, in the words of whoever freed its hold', async () => {
    const wallet = await addWallet(harness.books, 100n * USDC);
    const [failed, left, lapsed] = [
      await admit(wallet, USDC),
      await admit(wallet, USDC),
      await admit(wallet, USDC),
    ];
    const failure = { code: 'no_capacity', attempts: 2, totalMs: 77, route: JSON.stringify(route) } as const;
    const { ledger } = harness.books;
    await ledger.resolve({
      type: 'void',
      wallet: wallet.wallet,
      holdId: failed,
      reason: 'no_capacity',
      failure,
    });
    await ledger.resolve({ type: 'abandon', wallet: wallet.wallet, holdId: left, reason: 'client_gone' });
    await lapse(harness.books, [lapsed]);
    await ledger.resolve({ type: 'expire', wallet: wallet.wallet, holdId: lapsed });
    expect((await show(wallet.wallet, failed)).line).toMatchObject({
      ...{ requestId: failed, outcome: 'unserved', keyId: wallet.keyId, model: 'svc/demo@1', charged: '0' },
      ...{ reason: 'no_capacity', code: 'no_capacity', attempts: 2, totalMs: 77, route, held: String(USDC) },
    });
    expect((await show(wallet.wallet, left)).line).toMatchObject({
      reason: 'client_gone',
      code: null,
      route: null,
    });
    expect((await show(wallet.wallet, lapsed)).line).toMatchObject({ reason: 'expired', code: null });
    await projected();
    const { totals } = await harness.client.usage.summarise({ wallet: wallet.wallet, by: [] });
    expect(totals).toMatchObject({ requests: 0, unserved: 3, errors: 2, charged: '0' });
  });

  it('that was posted after its hold had ended stands as served, and in the lists as both', async () => {
    const wallet = await addWallet(harness.books, 100n * USDC);
    const holdId = await admit(wallet, USDC);
    await harness.books.ledger.resolve({ type: 'void', wallet: wallet.wallet, holdId, reason: 'shutdown' });
    await post(wallet, holdId, 700);
    expect((await show(wallet.wallet, holdId)).line).toMatchObject({
      outcome: 'served',
      late: true,
      charged: '0',
    });
    await projected();
    const { lines } = await harness.client.usage.list({ wallet: wallet.wallet });
    expect(lines.map(({ outcome }) => outcome)).toEqual(['served', 'unserved']);
  });

  it('of another wallet is as unknown as one that never was', async () => {
    const [owner, other] = [await addWallet(harness.books, USDC), await addWallet(harness.books, USDC)];
    const holdId = await admit(owner, 100n);
    await post(owner, holdId, 42);
    const [foreign, unknown] = [
      await refusalOf(show(other.wallet, holdId)),
      await refusalOf(show(owner.wallet, 'req_never')),
    ];
    expect(foreign).toEqual({ code: 'invalid_request', status: 404, param: 'requestId' });
    expect(unknown).toEqual(foreign);
  });
});

describe('earnings', () => {
  it('are what the ledger credited a provider with: shares, late ones, refunded ones', async () => {
    const wallet = await addWallet(harness.books, 100n * USDC);
    const [plain, whole, late, refunded] = [
      await admit(wallet, USDC),
      await admit(wallet, USDC),
      await admit(wallet, USDC),
      await admit(wallet, USDC),
    ];
    await post(wallet, plain, 1_000);
    await post(wallet, whole, 1_000_000);
    await post(wallet, refunded, 5_000);
    await lapse(harness.books, [late]);
    await harness.books.ledger.resolve({ type: 'expire', wallet: wallet.wallet, holdId: late });
    await post(wallet, late, 700);
    await harness.client.credit.refund({
      wallet: wallet.wallet,
      holdId: refunded,
      reason: 'x',
      actor: 'ops',
    });
    await projected();
    const [ledger] = await harness.books.sql<{ credited: string }>(
      `SELECT sum(amount)::text AS credited FROM billing.transfer WHERE credit_account = 'provider' AND provider = $1`,
      [PROVIDER],
    );
    const { lines, totals, account, shareBps } = await harness.client.earnings.list({
      provider: PROVIDER,
      by: 'hour',
    });
    expect(totals.credited).toBe(ledger?.credited);
    // Nobody has paid on chain.
    expect(account).toEqual({ credited: ledger?.credited, released: '0', paidOut: '0', payable: '0' });
    expect(shareBps).toBe(9_000);
    expect(String(lines.reduce((sum, { credited }) => sum + BigInt(credited), 0n))).toBe(totals.credited);
  });

  it('come in pages', async () => {
    const provider = providerNumber(77);
    await harness.books.sql(
      `INSERT INTO billing.provider_hour SELECT $1, '2026-03-01'::timestamptz + n * interval '5 hours', 'svc/m-' || m || '@1', 1, 2, 3, 4
       FROM generate_series(0, 99) n, generate_series(1, 2) m`,
      [provider],
    );
    await harness.books.sql(
      `INSERT INTO billing.provider_day
       SELECT provider, date_trunc('day', hour, 'UTC'), model, sum(requests), sum(prompt_tokens), sum(completion_tokens), sum(credited)
       FROM billing.provider_hour WHERE provider = $1 GROUP BY 1, 2, 3`,
      [provider],
    );
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await harness.client.earnings.list({ provider, by: 'day', limit: 9, cursor });
      expect(page.totals).toEqual({
        requests: 200,
        promptTokens: 400,
        completionTokens: 600,
        credited: '800',
      });
      seen.push(...page.lines.map(({ time, model }) => `${time} ${model}`));
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(42);
    expect([...new Set(seen)].sort()).toEqual(seen);
  });
});

describe('credits and refunds', () => {
  it('are given once, and listed with their reason', async () => {
    const wallet = await addWallet(harness.books, 100n * USDC);
    const credit = {
      wallet: wallet.wallet,
      creditId: 'crd_1',
      amount: '250',
      reason: '=sorry',
      actor: 'support',
    };
    expect(await harness.client.credit.give(credit)).toEqual({ state: 'given' });
    expect(await harness.client.credit.give(credit)).toEqual({ state: 'repeated' });
    expect(await refusalOf(harness.client.credit.give({ ...credit, amount: '251' }))).toMatchObject({
      status: 409,
    });
    const holdId = await admit(wallet, USDC);
    const refund = { wallet: wallet.wallet, holdId, reason: 'bad answer', actor: 'support' };
    expect(await refusalOf(harness.client.credit.refund(refund))).toMatchObject({ status: 409 });
    await post(wallet, holdId, 9_000);
    expect(await harness.client.credit.refund(refund)).toEqual({ state: 'given' });
    expect(await harness.client.credit.refund(refund)).toEqual({ state: 'repeated' });
    const { lines } = await harness.client.credit.list({ wallet: wallet.wallet });
    expect(lines).toMatchObject([
      { kind: 'refund', id: holdId, amount: '9000', reason: 'bad answer', actor: 'support' },
      { kind: 'credit', id: 'crd_1', amount: '250', reason: '=sorry' },
    ]);
    const first = await harness.client.credit.list({ wallet: wallet.wallet, limit: 1 });
    const second = await harness.client.credit.list({
      wallet: wallet.wallet,
      limit: 1,
      cursor: first.next ?? '',
    });
    expect([...first.lines, ...second.lines]).toEqual(lines);
    expect(second.next).toBeNull();
    const only = await harness.client.credit.list({ wallet: wallet.wallet, kind: 'credit' });
    expect(only.lines).toHaveLength(1);
    await projected();
    const { lines: usage } = await harness.client.usage.list({ wallet: wallet.wallet });
    expect(usage).toMatchObject([{ requestId: holdId, refunded: true, charged: '9000' }]);
  });

  it.each([
    '-1',
    '0',
    '1.5',
    '1e3',
    'NaN',
    'Infinity',
    '',
    ' 1',
    '0x10',
    '9223372036854775808',
    '1000000000000001',
  ])('an amount of %p is refused and changes nothing', async (amount) => {
    const { wallet } = await addWallet(harness.books, USDC);
    const before = await everything();
    const credit = { wallet, creditId: newHoldId(), amount, reason: 'x', actor: 'y' };
    expect(await refusalOf(harness.client.credit.give(credit))).toEqual({
      code: 'invalid_request',
      status: 400,
      param: 'amount',
    });
    expect(await everything()).toEqual(before);
  });

  it('of strangers are refused and change nothing', async () => {
    const before = await everything();
    const wallet = providerNumber(0xbeef);
    const credit: CreditWalletRequest = { wallet, creditId: 'crd_9', amount: '1', reason: 'x', actor: 'y' };
    expect(await refusalOf(harness.client.credit.give(credit))).toMatchObject({
      status: 404,
      param: 'wallet',
    });
    const refund = { wallet, holdId: 'req_unknown', reason: 'x', actor: 'y' };
    expect(await refusalOf(harness.client.credit.refund(refund))).toMatchObject({
      status: 404,
      param: 'holdId',
    });
    expect(await refusalOf(harness.client.credit.give({ ...credit, reason: '' }))).toMatchObject({
      param: 'reason',
    });
    expect(await everything()).toEqual(before);
  });
});

describe('bad questions', () => {
  const wallet = providerNumber(0xabc);
  it.each<[string, object, string]>([
    ['a limit of 0', { limit: 0 }, 'limit'],
    ['a limit of 501', { limit: 501 }, 'limit'],
    ['a limit of 1.5', { limit: 1.5 }, 'limit'],
    ['a limit of NaN', { limit: 'NaN' }, 'limit'],
    ['from after to', { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'to'],
    ['from at to', { from: '2026-02-01T00:00:00Z', to: '2026-02-01T00:00:00.0Z' }, 'to'],
    ['a day that is not', { from: '2026-02-30T00:00:00Z' }, 'from'],
    ['no zone', { from: '2026-02-01T00:00:00' }, 'from'],
    ['SQL', { keyId: "x' OR true --" }, 'keyId'],
    ['a model of no form', { model: 'gpt' }, 'model'],
    ['a cursor of its own', { cursor: Buffer.from('["now","x"]').toString('base64url') }, 'cursor'],
    ['half a cursor', { cursor: Buffer.from('["2026-02-01T00:00:00Z"]').toString('base64url') }, 'cursor'],
    ['a wallet in capitals', { wallet: `0x${'A'.repeat(40)}` }, 'wallet'],
  ])('%s: told which field', async (_name, change, param) => {
    const call = harness.client.usage.list({ wallet, ...change });
    expect(await refusalOf(call)).toEqual({ code: 'invalid_request', status: 400, param });
  });

  it('sums want whole hours and each dimension once', async () => {
    const ask = (change: object) => harness.client.usage.summarise({ wallet, by: ['day'], ...change });
    expect(await refusalOf(ask({ from: '2026-02-01T00:30:00Z' }))).toMatchObject({ param: 'from' });
    expect(await refusalOf(ask({ by: ['day', 'hour'] }))).toMatchObject({ param: 'by' });
    expect(await refusalOf(ask({ by: ['key', 'key'] }))).toMatchObject({ param: 'by' });
    expect(await refusalOf(ask({ by: ['week'] }))).toMatchObject({ param: 'by[0]' });
    expect(await refusalOf(ask({ by: 'day' }))).toMatchObject({ param: 'by' });
  });
});

describe('what internal teams may not do', () => {
  it('calls of other users do not get through', async () => {
    const internal = (await harness.nats.connectAs('internal')).connection;
    const refused = new Set<string>();
    void (async () => {
      for await (const status of internal.status()) {
        const { permissionContext } = status as { permissionContext?: { subject: string } };
        if (permissionContext) refused.add(permissionContext.subject);
      }
    })();
    const allowed = [
      /^billing\.v1\.(statement|receipt|ledger)\./,
      /^billing\.v1\.wallet\.(list|suspend|reinstate)$/,
      /^billing\.v1\.audit\.list$/,
      /^billing\.v1\.settlement\.(list|batch|show|pause|resume)$/,
      /^billing\.v1\.payout\.claim$/,
    ];
    const others = Object.values(billingContracts)
      .map(({ subject }) => subject)
      .filter((subject) => !allowed.some((pattern) => pattern.test(subject)));
    expect(others.length).toBeGreaterThan(10);
    for (const subject of others) internal.publish(subject, '{}');
    await eventually(() => others.every((subject) => refused.has(subject)));
  });
});

it('charges of the ledger show at once in what is asked next', async () => {
  const wallet = await addWallet(harness.books, USDC);
  const holdId = await admit(wallet, 100n);
  await harness.books.ledger.resolve({
    type: 'post',
    wallet: wallet.wallet,
    holdId,
    charge: chargeOf(usageOf(42), 9_000),
  });
  await eventually(async () => {
    const { lines } = await harness.client.usage.list({ wallet: wallet.wallet });
    return lines[0]?.requestId === holdId && lines[0].charged === '42';
  });
});

it('every reply is what docs/asyncapi.json says of it', async () => {
  const { wallet, keyHash } = await addWallet(harness.books, 10n * USDC);
  const holdId = await admit({ wallet, keyHash, keyId: '' }, USDC);
  await post({ wallet, keyHash, keyId: '' }, holdId, 450);
  await harness.client.credit.refund({ wallet, holdId, reason: 'x', actor: 'ops' });
  await projected();
  const { client } = harness;
  const replies: Record<string, unknown> = {
    showPosition: await client.wallet.show({ wallet }),
    summariseUsage: await client.usage.summarise({ wallet, by: ['day', 'key', 'model', 'provider'] }),
    listUsage: await client.usage.list({ wallet }),
    showUsage: await harness.gateway.call(billingContracts.showUsage, { wallet, requestId: holdId }),
    listEarnings: await client.earnings.list({ provider: PROVIDER, by: 'month' }),
    listCredits: await client.credit.list({ wallet }),
    showReceipt: await client.receipt.show({ wallet, requestId: holdId }),
    showTrialBalance: await client.ledger.balance({}),
  };
  const document = JSON.parse(readFileSync(join(__dirname, '../../../../docs/asyncapi.json'), 'utf8')) as {
    components: { messages: Record<string, { payload: { $ref: string } }> };
  };
  const ajv = new Ajv({ strict: false, formats: { 'date-time': true } });
  ajv.addSchema({ $id: 'doc', components: document.components });
  for (const [contract, reply] of Object.entries(replies)) {
    const schema = document.components.messages[`${contract}.reply`]?.payload.$ref ?? '';
    const validate = ajv.compile({ $ref: `doc${schema}` });
    expect([contract, validate(reply), validate.errors]).toEqual([contract, true, null]);
  }
});
