import { catalogContracts } from '@svc/contracts';
import { FakeService } from '../testing/fake-service.for-spec';
import { GatewayHarness } from '../testing/gateway-harness.for-spec';
import { provider, providerStatus, report, terms } from '../testing/supply.for-spec';

async function start(environment: Record<string, string>): Promise<GatewayHarness> {
  const harness = await new GatewayHarness().start({
    SUPPLY_WRITES_PER_MINUTE: '2',
    SUPPLY_READS_PER_MINUTE: '3',
    ...environment,
  });
  const catalog = new FakeService((await harness.nats.connectAs('catalog')).connection);
  await catalog.answer(catalogContracts.showSupplyTerms, terms);
  await catalog.answer(catalogContracts.showProvider, providerStatus);
  await catalog.answer(catalogContracts.showCertification, report);
  return harness;
}

describe('how often an address may ask', () => {
  it('is counted by reads and writes, over all routes of supply, by the minute', async () => {
    const harness = await start({});
    const get = (path: string) => fetch(`${harness.url}${path}`);
    const write = () => fetch(`${harness.url}/v1/offers`, { method: 'POST' });
    const paths = ['/v1/supply/terms', `/v1/providers/${provider}`, '/v1/certifications/crt_1'];
    for (const path of paths) expect((await get(path)).status).toBe(200);
    for (const path of [...paths, `/v1/providers/${provider}/earnings`]) {
      const refused = await get(path);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
      expect(refused.headers.get('x-should-retry')).toBe('false');
      expect(await refused.json()).toEqual({
        error: {
          message: expect.stringContaining('More than 3 requests') as string,
          type: 'invalid_request_error',
          code: 'invalid_request',
          param: null,
        },
      });
    }
    // Malformed ones count as well.
    expect((await write()).status).toBe(400);
    expect((await write()).status).toBe(400);
    expect((await write()).status).toBe(429);
    for (let asked = 0; asked < 5; asked++) expect((await get('/v1/models')).status).toBe(200);
    for (let asked = 0; asked < 5; asked++) expect((await harness.post({})).status).toBe(400);
    harness.clock.advance(60_000);
    expect((await get('/v1/supply/terms')).status).toBe(200);
    expect((await write()).status).toBe(400);
    await harness.stop();
  });

  it.each([
    ['believes nobody about where a request comes from', {}, 429],
    ['believes the proxies that it is told of', { TRUSTED_PROXIES: '127.0.0.0/8,::1' }, 200],
  ])('%s', async (_, environment, status) => {
    const harness = await start(environment);
    const from = (address: string) =>
      fetch(`${harness.url}/v1/supply/terms`, { headers: { 'x-forwarded-for': address } });
    for (let asked = 0; asked < 3; asked++) expect((await from('203.0.113.1')).status).toBe(200);
    expect((await from('203.0.113.1')).status).toBe(429);
    // What the client wrote before its own address is not believed in any case.
    expect((await from('198.51.100.9, 203.0.113.1')).status).toBe(429);
    expect((await from('203.0.113.2')).status).toBe(status);
    await harness.stop();
  });

  it.each([
    ['an address', (port: number) => `203.0.113.7:${port}`],
    ['one of IPv6, its network', (port: number) => `[2001:db8::${port}]:${port}`],
  ])('counts %s, whatever port a proxy writes beside it', async (_, written) => {
    const harness = await start({ TRUSTED_PROXIES: '127.0.0.0/8,::1' });
    const from = (port: number) =>
      fetch(`${harness.url}/v1/supply/terms`, { headers: { 'x-forwarded-for': written(port) } });
    for (const port of [1_024, 1_025, 1_026]) expect((await from(port)).status).toBe(200);
    expect((await from(1_027)).status).toBe(429);
    await harness.stop();
  });
});
