import { generateApiKey } from '@svc/api-key';
import { invalidApiKey } from '@svc/errors';
import { GatewayHarness } from '../testing/gateway-harness.for-spec';

const harness = new GatewayHarness();
beforeAll(() => harness.start({ UNKNOWN_KEYS_PER_MINUTE: '5', TRUSTED_PROXIES: '127.0.0.0/8,::1' }));
afterAll(() => harness.stop());

afterEach(() => {
  harness.billing.key = harness.billing.admission = 'ok';
  harness.clock.advance(60_000);
});

const request = { model: 'svc/demo@1', messages: [{ role: 'user', content: 'Hello' }] };
const madeUp = () => `Bearer ${generateApiKey('svc_test_')}`;
let address = 0;
const anAddress = () => `203.0.113.${++address}`;

/** As whoever comes from that address, with a key that nobody has unless it is told. */
const post = (from: string, authorization = madeUp()) =>
  harness.post(request, { headers: { authorization, 'x-forwarded-for': from } });

async function statusesOf(replies: Promise<Response>[]): Promise<number[]> {
  return (await Promise.all(replies)).map(({ status }) => status);
}

describe('keys that nobody issued', () => {
  it('are asked about so often an address and minute, at once too, and then refused without asking anybody', async () => {
    harness.billing.key = invalidApiKey().payload;
    const from = anAddress();
    const before = harness.billing.keyChecks.length;
    const statuses = await statusesOf(Array.from({ length: 12 }, () => post(from)));
    expect(statuses.sort()).toEqual([...Array<number>(5).fill(401), ...Array<number>(7).fill(429)]);
    expect(harness.billing.keyChecks.length - before).toBe(5);

    // Those that were refused are not counted: a gateway that knows a key by then serves it, and one that does not asks about it in the next minute.
    const refused = await post(from);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(await refused.json()).toEqual({
      error: {
        message: expect.stringContaining('More than 5 requests with unknown API keys') as string,
        type: 'invalid_request_error',
        code: 'invalid_request',
        param: null,
      },
    });
    expect((await post(anAddress())).status).toBe(401);
    harness.clock.advance(60_000);
    expect((await post(from)).status).toBe(401);
  });

  it('are counted over all routes that take a key', async () => {
    harness.billing.keyView = invalidApiKey().payload;
    harness.billing.key = invalidApiKey().payload;
    const from = anAddress();
    const get = (path: string) =>
      fetch(`${harness.url}${path}`, { headers: { authorization: madeUp(), 'x-forwarded-for': from } });
    const paths = ['/v1/key', '/v1/receipts/nothing'];
    expect(await statusesOf([...paths, ...paths].map(get))).toEqual([401, 401, 401, 401]);
    expect((await post(from)).status).toBe(401);
    for (const path of paths) expect((await get(path)).status).toBe(429);
  });

  it('of IPv6 are counted by network', async () => {
    harness.billing.key = invalidApiKey().payload;
    const statuses = [];
    for (let host = 1; host <= 6; host++) statuses.push((await post(`2001:db8::${host}`)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('keep nobody out whose key is known to be usable, nor are those counted', async () => {
    const from = anAddress();
    const mine = madeUp();
    const served = async () => {
      const replied = post(from, mine);
      (await harness.dispatch.nextRun()).complete();
      return (await replied).status;
    };
    for (let time = 0; time < 7; time++) expect(await served()).toBe(200);
    harness.billing.key = invalidApiKey().payload;
    for (let time = 0; time < 5; time++) expect((await post(from)).status).toBe(401);
    expect((await post(from)).status).toBe(429);
    expect(await served()).toBe(200);
  });

  it('do not count where billing cannot say', async () => {
    harness.billing.key = { code: 'internal_error', message: 'broken' };
    harness.billing.admission = { code: 'no_capacity', message: 'away' };
    const from = anAddress();
    for (let time = 0; time < 7; time++) expect((await post(from)).status).toBe(503);
  });
});
