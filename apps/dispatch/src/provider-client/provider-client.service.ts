import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'undici';
import { DISPATCH_CONFIG, DispatchConfig } from '../dispatch.config';
import { AddressRules } from './address-rules';
import { guardedConnector } from './guarded-connector';
import type { Endpoint } from './endpoint';
import type { UpstreamCall } from './upstream-call';

const MAX_HEADER_BYTES = 16 * 1024;

const HEADERS = {
  'content-type': 'application/json',
  // A compressed reply could unfold to any size.
  'accept-encoding': 'identity',
  'user-agent': 'svc-dispatch',
};

/** Connections to providers, one pool an origin; knows nothing of what is said over them. */
@Injectable()
export class ProviderClient implements OnApplicationShutdown {
  private readonly pools = new Map<string, Pool>();
  private readonly connect: ReturnType<typeof guardedConnector>;

  constructor(@Inject(DISPATCH_CONFIG) config: DispatchConfig) {
    this.connect = guardedConnector(new AddressRules(config.providerAllowedNetworks));
  }

  /** Posts a JSON body. Everything that comes back, a failure to connect included, goes to the call's listener. */
  post(endpoint: Endpoint, body: string, call: UpstreamCall): void {
    const { origin, path } = endpoint;
    this.poolOf(origin).dispatch({ method: 'POST', path, headers: HEADERS, body }, call);
  }

  /** Closes the pools of origins that nobody sells from any more; calls under way finish. */
  keepOnly(origins: ReadonlySet<string>): void {
    for (const [origin, pool] of this.pools) {
      if (origins.has(origin)) continue;
      this.pools.delete(origin);
      void pool.close();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.destroy()));
  }

  private poolOf(origin: string): Pool {
    let pool = this.pools.get(origin);
    if (!pool) {
      // How many connections there are is bounded by the offers' concurrency. Patience is the attempt's business.
      pool = new Pool(origin, {
        connect: this.connect,
        headersTimeout: 0,
        bodyTimeout: 0,
        maxHeaderSize: MAX_HEADER_BYTES,
      });
      this.pools.set(origin, pool);
    }
    return pool;
  }
}
