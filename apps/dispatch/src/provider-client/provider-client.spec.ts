import { startProvider, saying } from '../testing/provider.for-spec';
import type { TestProvider } from '../testing/provider.for-spec';
import { AddressGuard } from './address-guard.service';
import { endpointOf } from './endpoint';
import type { Endpoint } from './endpoint';
import { NameResolver } from './name-resolver.service';
import { ProviderClient } from './provider-client.service';
import { UpstreamCall } from './upstream-call';

describe('ProviderClient', () => {
  let client: ProviderClient;
  let provider: TestProvider;
  let release: () => void;

  beforeEach(async () => {
    const released = new Promise<void>((resolve) => (release = resolve));
    provider = await startProvider((request, response) => {
      void released.then(() => saying('x')(request, response));
    });
    client = new ProviderClient(
      new AddressGuard({ providerAllowedNetworks: '127.0.0.0/8' }, new NameResolver()),
    );
  });
  afterEach(async () => {
    await client.onApplicationShutdown();
    await provider.close();
  });

  /** @returns resolves when the call is over */
  function call(target: Endpoint, onData = (_upstream: UpstreamCall): void => undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const upstream = new UpstreamCall({
        onHead: () => undefined,
        onData: () => onData(upstream),
        onEnd: resolve,
        onFailure: ({ reason }) => reject(new Error(reason)),
      });
      client.post(target, '{}', upstream);
    });
  }

  it('keeps connections while they are used, and closes them when nobody has for a while', async () => {
    const target = endpointOf(provider.url) as Endpoint;
    const ended = call(target);
    client.closeIdle(Infinity);
    expect(client.origins).toBe(1);
    release();
    await ended;
    client.closeIdle(0);
    expect(client.origins).toBe(1);
    client.closeIdle(Infinity);
    expect(client.origins).toBe(0);
    // The next call opens another.
    await call(target);
    expect(provider.requests).toHaveLength(2);
  });

  it('uses a connection again whose last call let it rest', async () => {
    const target = endpointOf(provider.url) as Endpoint;
    release();
    for (let calls = 0; calls < 4; calls++) await call(target, (upstream) => upstream.rest());
    // One that was used just now is not free yet when the next call is made.
    expect(new Set(provider.requests.map(({ port }) => port)).size).toBeLessThan(4);
  });
});
