import { billingContracts } from '@svc/contracts';
import type {
  ServedLine,
  SummariseUsageRequest,
  UnservedLine,
  UsageGroup,
  UsageSummary,
} from '@svc/contracts';
import { SvcError, invalidRequest, noCapacity, notFound } from '@svc/errors';
import { eventually } from '@svc/testing';
import { FakeService } from '../../testing/fake-service.for-spec';
import { GatewayHarness } from '../../testing/gateway-harness.for-spec';
import { PortalVisitor } from '../../testing/portal-visitor.for-spec';
import { FakeExports } from './usage-export.for-spec';
import { NO_USAGE, without } from './usage-sums';

const WALLET = `0x${'a1'.repeat(20)}`;
const PROVIDER = `0x${'b2'.repeat(20)}`;
const BATCH = `0x${'c3'.repeat(32)}`;
const harness = new GatewayHarness();
let billing: FakeService;
let exports: FakeExports;
let visitor: PortalVisitor;

const served: ServedLine = {
  ...{ requestId: 'req_1', outcome: 'served', createdAt: '2026-11-21T06:00:00.000000Z', keyId: 'key_1' },
  ...{ model: 'svc/demo@1', provider: PROVIDER, offerId: 'ofr_1', promptTokens: 10, completionTokens: 20 },
  ...{ tokenSource: 'provider', inputPricePerMtok: '150000', outputPricePerMtok: '600000', attempts: 2 },
  ...{ finishReason: 'stop', held: '1500000', charged: '14', late: false, refunded: true },
  ...{ firstTokenMs: 120, totalMs: 900 },
  route: [{ offerId: 'ofr_0', why: '</script><b>cheapest', outcome: 'connection_lost' }],
};
const unserved: UnservedLine = {
  ...{ requestId: 'req_2', outcome: 'unserved', createdAt: '2026-11-21T05:00:00.000000Z', keyId: 'key_1' },
  ...{ model: 'svc/demo@1', held: '9', charged: '0', attempts: 1, totalMs: 30, route: null },
  ...{ reason: 'no_capacity', code: 'no_capacity' },
};

beforeAll(async () => {
  await harness.start();
  const { connection } = await harness.nats.connectAs('billing');
  billing = new FakeService(connection);
  exports = new FakeExports(connection);
  await connection.flush();
  visitor = await PortalVisitor.signedIn(harness, WALLET);
});
afterAll(() => harness.stop());

interface ErrorReply {
  error: { code: string; param: string | null; message: string };
}
const read = async <T>(path: string): Promise<T> => (await visitor.get(path)).json() as Promise<T>;
async function refusal(path: string) {
  const reply = await visitor.get(path);
  const { error } = (await reply.json()) as ErrorReply;
  return { status: reply.status, code: error.code, param: error.param };
}

it.each(['/usage', '/usage/summary', '/usage/req_1', '/usage.csv'])('%s wants a session', async (path) => {
  const reply = await fetch(`${harness.url}/portal/api${path}`);
  expect([reply.status, ((await reply.json()) as ErrorReply).error.code]).toEqual([401, 'invalid_api_key']);
});

describe('GET /portal/api/usage', () => {
  it('lists the requests of the wallet that is signed in, served or not', async () => {
    await billing.answer(billingContracts.listUsage, { lines: [served, unserved], next: 'bmV4dA' });
    const provider = PROVIDER.replace('b', 'B');
    const query = `key=key_1&model=svc/demo@1&provider=${provider}&outcome=served&from=2026-11-01T00:00:00Z&limit=7&cursor=abc`;
    const reply = await visitor.get(`/usage?${query}`);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(await reply.json()).toEqual({
      object: 'list',
      data: [
        {
          ...{
            request_id: 'req_1',
            created_at: '2026-11-21T06:00:00.000000Z',
            outcome: 'served',
            key_id: 'key_1',
          },
          ...{ model: 'svc/demo@1', provider: PROVIDER, prompt_tokens: 10, completion_tokens: 20 },
          ...{
            charged_usdc: '0.000014',
            first_token_ms: 120,
            total_ms: 900,
            attempts: 2,
            finish_reason: 'stop',
          },
          ...{ late: false, refunded: true, reason: null, error_code: null },
        },
        {
          ...{
            request_id: 'req_2',
            created_at: '2026-11-21T05:00:00.000000Z',
            outcome: 'unserved',
            key_id: 'key_1',
          },
          ...{ model: 'svc/demo@1', provider: null, prompt_tokens: null, completion_tokens: null },
          ...{
            charged_usdc: '0.000000',
            first_token_ms: null,
            total_ms: 30,
            attempts: 1,
            finish_reason: null,
          },
          ...{ late: false, refunded: false, reason: 'no_capacity', error_code: 'no_capacity' },
        },
      ],
      next: 'bmV4dA',
    });
    expect(billing.lastOf(billingContracts.listUsage)).toEqual({
      ...{ wallet: WALLET, keyId: 'key_1', model: 'svc/demo@1', provider: PROVIDER, outcome: 'served' },
      ...{ from: '2026-11-01T00:00:00Z', limit: 7, cursor: 'abc' },
    });
  });

  it('is of nobody else, whatever is asked', async () => {
    const before = billing.timesAsked(billingContracts.listUsage);
    expect(await refusal(`/usage?wallet=0x${'d4'.repeat(20)}`)).toMatchObject({
      status: 400,
      param: 'wallet',
    });
    expect(billing.timesAsked(billingContracts.listUsage)).toBe(before);
    await visitor.get('/usage');
    expect(billing.lastOf(billingContracts.listUsage)).toEqual({ wallet: WALLET, limit: 50 });
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1e1', 'limit'],
    ['from=yesterday', 'from'],
    ['from=2026-02-30T00:00:00Z', 'from'],
    ['key=a%27b', 'key'],
    ['key=a&key=b', 'key'],
    ['model=gpt', 'model'],
    ['provider=0x12', 'provider'],
    ['outcome=lost', 'outcome'],
    ['cursor=%2e%2e', 'cursor'],
    ['form=2026-11-01T00:00:00Z', 'form'],
  ])('%s: told which parameter', async (query, param) => {
    expect(await refusal(`/usage?${query}`)).toEqual({ status: 400, code: 'invalid_request', param });
  });

  it('says what a limit must be', async () => {
    const reply = await visitor.get('/usage?limit=ten');
    const { error } = (await reply.json()) as ErrorReply;
    expect(error.message).toBe('limit must be a whole number from 1 to 100.');
  });

  it('tells in the client’s names what billing refuses', async () => {
    await billing.answer(billingContracts.listUsage, invalidRequest('keyId is wrong', 'keyId'));
    expect(await refusal('/usage')).toEqual({ status: 400, code: 'invalid_request', param: 'key' });
  });
});

describe('GET /portal/api/usage/summary', () => {
  /** Two models on two days, one of them failing as well. */
  const groups: UsageGroup[] = [
    group('2026-11-02T00:00:00.000000Z', 'svc/a@1', PROVIDER, {
      requests: 2,
      charged: '10',
      timed: 1,
      firstTokenMs: 90,
    }),
    group('2026-11-02T00:00:00.000000Z', 'svc/b@1', PROVIDER, { requests: 1, charged: '900' }),
    group('2026-11-04T00:00:00.000000Z', 'svc/a@1', PROVIDER, {
      requests: 1,
      charged: '5',
      timed: 1,
      firstTokenMs: 110,
    }),
    group('2026-11-04T00:00:00.000000Z', 'svc/a@1', '', { unserved: 3, errors: 2 }),
  ];
  const path = '/usage/summary?from=2026-11-01T00:00:00Z&to=2026-11-05T00:00:00Z';

  beforeAll(async () => {
    await billing.answer(billingContracts.summariseUsage, (request) => summaryOf(groups, request));
  });

  it('fills what has nothing, in one series of everything', async () => {
    const { times, series, totals, unit, by } = await read<Reply>(path);
    expect([unit, by]).toEqual(['day', null]);
    expect(times).toEqual([1, 2, 3, 4].map((day) => `2026-11-0${day}T00:00:00Z`));
    expect(series).toHaveLength(1);
    expect(series[0]).toMatchObject({ kind: 'all', value: null });
    expect(
      series[0]?.figures.map(({ requests, errors, charged_usdc }) => [requests, errors, charged_usdc]),
    ).toEqual([
      [0, 0, '0.000000'],
      [3, 0, '0.000910'],
      [0, 0, '0.000000'],
      [1, 2, '0.000005'],
    ]);
    expect(series[0]?.figures.map(({ first_token_ms }) => first_token_ms)).toEqual([null, 90, null, 110]);
    expect(totals).toMatchObject({ requests: 4, errors: 2, charged_usdc: '0.000915', first_token_ms: 100 });
  });

  it('puts what cost most first, each by itself', async () => {
    const { series } = await read<Reply>(`${path}&by=model`);
    expect(
      series.map(({ kind, value, totals }) => [kind, value, totals.charged_usdc, totals.errors]),
    ).toEqual([
      ['one', 'svc/b@1', '0.000900', 0],
      ['one', 'svc/a@1', '0.000015', 2],
    ]);
  });

  it('keeps what no provider served apart from what others did', async () => {
    const { series } = await read<Reply>(`${path}&by=provider`);
    expect(series.map(({ kind, value, totals }) => [kind, value, totals.requests, totals.errors])).toEqual([
      ['one', PROVIDER, 4, 0],
      ['nobody', null, 0, 2],
    ]);
  });

  it('adds up to its totals however many there are, with no more questions', async () => {
    const many = Array.from({ length: 700 }, (_, index) => ({
      ...group('2026-11-02T00:00:00.000000Z', 'svc/a@1', PROVIDER, { requests: 1, charged: String(index) }),
      keyId: `key_${String(index).padStart(3, '0')}`,
    }));
    await billing.answer(billingContracts.summariseUsage, (request) => summaryOf(many, request));
    const before = billing.timesAsked(billingContracts.summariseUsage);
    const { series, totals } = await read<Reply>(`${path}&by=key`);
    expect(billing.timesAsked(billingContracts.summariseUsage) - before).toBe(9);
    expect(series.map(({ value }) => value)).toEqual(
      [699, 698, 697, 696, 695, 694].map((key) => `key_${key}`).concat([null as never]),
    );
    expect(series.at(-1)).toMatchObject({ kind: 'others', totals: { requests: 694 } });
    expect(series.reduce((sum, each) => sum + each.totals.requests, 0)).toBe(totals.requests);
    await billing.answer(billingContracts.summariseUsage, (request) => summaryOf(groups, request));
  });

  it.each([
    ['by=wallet', 'by'],
    ['from=2026-11-05T00:00:00Z&to=2026-11-01T00:00:00Z', 'to'],
    ['from=2001-11-05T00:00:00Z', 'from'],
    ['to=x', 'to'],
    ['outcome=served', 'outcome'],
  ])('%s: told which parameter', async (query, param) => {
    expect(await refusal(`/usage/summary?${query}`)).toEqual({ status: 400, code: 'invalid_request', param });
  });
});

describe('GET /portal/api/usage/{id}', () => {
  const batch = { batchId: BATCH, state: 'mined', txHash: `0x${'d4'.repeat(32)}`, settledAt: null };
  const receipt = { receipt: { type: 'usage', id: 'req_1' }, settlement: null };

  beforeEach(async () => {
    const refund = { amount: '14', reason: 'bad answer', createdAt: '2026-11-21T07:00:00.000000Z' };
    await billing.answer(billingContracts.showUsage, ({ wallet, requestId }) =>
      wallet === WALLET && requestId === 'req_1'
        ? { line: served, refund, batchId: BATCH }
        : notFound('There is no such request.', 'requestId'),
    );
    await billing.answer(billingContracts.showReceipt, receipt as never);
    await billing.answer(billingContracts.showDue, { batch } as never);
  });

  it('shows its way, what it cost, its receipt and where it stands on chain', async () => {
    const reply = await visitor.get('/usage/req_1');
    const text = await reply.text();
    // Whatever words a plan may come to have.
    expect(text).not.toContain('</script>');
    expect(JSON.parse(text)).toMatchObject({
      ...{ request_id: 'req_1', offer_id: 'ofr_1', held_usdc: '1.500000', input_price_per_mtok: '150000' },
      route: [{ offer_id: 'ofr_0', why: '</script><b>cheapest', outcome: 'connection_lost' }],
      refund: { amount_usdc: '0.000014', reason: 'bad answer' },
      settlement: { state: 'mined', batch_id: BATCH, tx_hash: batch.txHash, settled_at: null },
      receipt,
    });
    expect(billing.lastOf(billingContracts.showReceipt)).toEqual({ wallet: WALLET, requestId: 'req_1' });
    expect(billing.lastOf(billingContracts.showDue)).toEqual({ wallet: WALLET, batchId: BATCH, limit: 1 });
  });

  it('waits for neither the receipt nor a batch', async () => {
    await billing.answer(billingContracts.showUsage, { line: served, refund: null, batchId: null });
    await billing.answer(
      billingContracts.showReceipt,
      noCapacity('This receipt is being made: ask again.', 1),
    );
    expect(await read('/usage/req_1')).toMatchObject({
      receipt: null,
      settlement: { state: 'waiting', batch_id: null, tx_hash: null },
    });
  });

  it('of what nobody served has nothing to settle', async () => {
    await billing.answer(billingContracts.showUsage, { line: unserved, refund: null, batchId: null });
    expect(await read('/usage/req_2')).toMatchObject({
      ...{ outcome: 'unserved', reason: 'no_capacity', error_code: 'no_capacity', attempts: 1 },
      ...{ offer_id: null, receipt: null, settlement: { state: 'nothing' } },
    });
  });

  it('has the same words for unknown, malformed and other wallets’ ids', async () => {
    const bodies = new Set<string>();
    const other = await PortalVisitor.signedIn(harness, `0x${'e5'.repeat(20)}`);
    bodies.add(await (await other.get('/usage/req_1')).text());
    for (const id of [
      'req_unknown',
      'chatcmpl-1',
      'req_',
      `req_${'x'.repeat(500)}`,
      '%00',
      '..%2fkeys',
      "req_1'--",
    ]) {
      const reply = await visitor.get(`/usage/${id}`);
      expect([id, reply.status]).toEqual([id, 404]);
      bodies.add(await reply.text());
    }
    expect([...bodies].map((body) => (JSON.parse(body) as ErrorReply).error)).toMatchObject([
      { code: 'invalid_request', param: 'request_id', message: 'There is no such request.' },
    ]);
  });
});

describe('GET /portal/api/usage.csv', () => {
  afterEach(() => {
    exports.refusal = undefined;
    exports.lost = undefined;
  });

  it('is billing’s export, as a file to be kept', async () => {
    exports.chunks = ['request_id,model\r\n', 'req_1,svc/demo@1\r\n', "req_2,'=1+1\r\n"];
    const reply = await visitor.get(
      '/usage.csv?outcome=served&from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z',
    );
    expect(reply.headers.get('content-type')).toMatch(/^text\/csv; charset=utf-8/);
    expect(reply.headers.get('content-disposition')).toBe(
      'attachment; filename="usage-2026-11-01-to-2026-12-01.csv"',
    );
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await reply.text()).toBe(exports.chunks.join(''));
    expect(exports.asked.at(-1)).toEqual({
      ...{ wallet: WALLET, outcome: 'served', from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' },
    });
  });

  it('is sent as it is read: whoever reads nothing gets little, and only one at a time', async () => {
    // 100 MB, far more than any buffer on the way.
    exports.chunks = Array.from({ length: 400 }, () => 'x'.repeat(250_000));
    const leaving = new AbortController();
    const sentBefore = exports.sent;
    const reply = await visitor.get('/usage.csv', { signal: leaving.signal });
    expect(reply.status).toBe(200);
    expect(await refusal('/usage.csv')).toEqual({ status: 503, code: 'no_capacity', param: null });
    let sent = -1;
    // Until everything on the way is full.
    await eventually(() => sent === (sent = exports.sent), { intervalMs: 200 });
    expect(exports.sent - sentBefore).toBeLessThan(150);
    leaving.abort();
    await eventually(() => exports.stopped > 0);
    exports.chunks = ['request_id\r\n'];
    // To its end: the next one does not begin before.
    await eventually(async () => (await (await visitor.get('/usage.csv')).text()) === 'request_id\r\n');
  });

  it('is not begun for HEAD, which has the headers of GET', async () => {
    exports.chunks = ['request_id\r\n'];
    const path = '/usage.csv?from=2026-11-01T00:00:00Z';
    const asked = await visitor.get(path);
    await asked.text();
    const askedBefore = exports.asked.length;
    const head = await visitor.get(path, { method: 'HEAD' });
    expect([head.status, await head.text(), exports.asked.length]).toEqual([200, '', askedBefore]);
    for (const name of ['content-type', 'content-disposition', 'cache-control', 'content-length']) {
      expect([name, head.headers.get(name)]).toEqual([name, asked.headers.get(name)]);
    }
    expect((await visitor.get('/usage.csv?from=x', { method: 'HEAD' })).status).toBe(400);
  });

  it('that lost a part breaks off, so that nobody takes it for the whole', async () => {
    exports.chunks = ['a\r\n', 'b\r\n', 'c\r\n'];
    exports.lost = 1;
    await expect(visitor.get('/usage.csv').then((reply) => reply.text())).rejects.toThrow();
  });

  it('that is refused is an error like any other', async () => {
    exports.refusal = new SvcError({ code: 'invalid_request', message: 'no', param: 'keyId' });
    expect(await refusal('/usage.csv')).toEqual({ status: 400, code: 'invalid_request', param: 'key' });
    exports.refusal = noCapacity('Too many exports are under way.', 5);
    expect(await refusal('/usage.csv')).toEqual({ status: 503, code: 'no_capacity', param: null });
    expect(await refusal('/usage.csv?from=x')).toEqual({
      status: 400,
      code: 'invalid_request',
      param: 'from',
    });
  });
});

interface Figures {
  requests: number;
  errors: number;
  charged_usdc: string;
  first_token_ms: number | null;
}
interface Reply {
  unit: string;
  by: string | null;
  times: string[];
  totals: Figures;
  series: { kind: string; value: string | null; totals: Figures; figures: Figures[] }[];
}

function group(time: string, model: string, provider: string, sums: Partial<UsageGroup>): UsageGroup {
  return { ...NO_USAGE, time, keyId: 'key_1', model, provider, ...sums };
}

/** As billing sums. */
function summaryOf(
  all: UsageGroup[],
  { by, limit = 100, cursor = '0', ...selection }: SummariseUsageRequest,
): UsageSummary {
  const meant = all.filter(
    ({ keyId, model, provider }) =>
      (selection.keyId ?? keyId) === keyId &&
      (selection.model ?? model) === model &&
      (selection.provider ?? provider) === provider,
  );
  const groups = new Map<string, UsageGroup>();
  for (const each of meant) {
    const { time, keyId, model, provider } = each;
    const named = {
      ...(by.some((one) => one === 'day') && { time }),
      ...(by.includes('key') && { keyId }),
      ...(by.includes('model') && { model }),
      ...(by.includes('provider') && { provider }),
    };
    const name = JSON.stringify(named);
    groups.set(name, { ...added(groups.get(name) ?? NO_USAGE, each), ...named });
  }
  const sorted = [...groups.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, found]) => found);
  const start = Number(Buffer.from(cursor, 'base64url').toString() || 0);
  const end = start + limit;
  const next = sorted.length > end ? Buffer.from(String(end)).toString('base64url') : null;
  return { groups: sorted.slice(start, end), totals: meant.reduce(added, NO_USAGE), next };
}

function added(one: typeof NO_USAGE, other: typeof NO_USAGE): typeof NO_USAGE {
  const sums = without(other, []);
  for (const [name, value] of Object.entries(one))
    if (typeof value === 'number') sums[name as 'requests'] = (other[name as 'requests'] ?? 0) + value;
  return { ...only(sums), charged: String(BigInt(one.charged) + BigInt(other.charged)) };
}

function only(sums: typeof NO_USAGE): typeof NO_USAGE {
  return Object.fromEntries(Object.keys(NO_USAGE).map((name) => [name, sums[name as 'requests']])) as never;
}
