import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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
});
