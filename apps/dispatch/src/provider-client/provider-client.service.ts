import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import { AddressGuard } from './address-guard.service';
import type { Endpoint } from './endpoint';
import type { UpstreamCall } from './upstream-call';

const MAX_HEADER_BYTES = 16 * 1024;

/** How long a pool may be unused before it is closed, whoever may sell from there; the next call opens another. */
const IDLE_MS = 15_000;
const IDLE_SWEEP_MS = 5_000;

const HEADERS = {
  // A compressed reply could unfold to any size.
  'accept-encoding': 'identity',
  'user-agent': 'svc-dispatch',
  // Whoever sells on what is bought here can tell that it comes back (RFC 8586).
  'cdn-loop': 'svc',
};
const JSON_HEADERS = { ...HEADERS, 'content-type': 'application/json' };

interface OpenPool {
  pool: Pool;
  usedMs: number;
}

/** Connections to providers, one pool an origin; knows nothing of what is said over them. */
@Injectable()
export class ProviderClient implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly pools = new Map<string, OpenPool>();
  private sweep: NodeJS.Timeout | undefined;

  constructor(private readonly guard: AddressGuard) {}

  onApplicationBootstrap(): void {
    this.sweep = setInterval(() => this.closeIdle(performance.now() - IDLE_MS), IDLE_SWEEP_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.sweep);
    await Promise.all([...this.pools.values()].map(({ pool }) => pool.destroy()));
  }

  /** Origins that connections are kept to. */
  get origins(): number {
    return this.pools.size;
  }

  /** Asks for a completion. Everything that comes back, a failure to connect included, goes to the call's listener. */
  post({ origin, completionsPath: path, authorization }: Endpoint, body: string, call: UpstreamCall): void {
    const headers = authorization === undefined ? JSON_HEADERS : { ...JSON_HEADERS, authorization };
    this.request(origin, { method: 'POST', path, headers, body }, call);
  }

  /** Asks for the list of models. */
  listModels({ origin, modelsPath: path, authorization }: Endpoint, call: UpstreamCall): void {
    const headers = authorization === undefined ? HEADERS : { ...HEADERS, authorization };
    this.request(origin, { method: 'GET', path, headers }, call);
  }

  /** Closes the pools that nobody has used since then. */
  closeIdle(usedBeforeMs: number): void {
    for (const [origin, { pool, usedMs }] of this.pools) {
      if (usedMs > usedBeforeMs || pool.stats.size > 0) continue;
      this.pools.delete(origin);
      void pool.destroy();
    }
  }

  private request(origin: string, request: Dispatcher.DispatchOptions, call: UpstreamCall): void {
    call.begin(() => this.poolOf(origin).dispatch(request, call));
  }

  private poolOf(origin: string): Pool {
    const usedMs = performance.now();
    const open = this.pools.get(origin);
    if (open) {
      open.usedMs = usedMs;
      return open.pool;
    }
    // How many connections there are is bounded by who asks: the offers' concurrency, the probes' places. So is patience.
    const pool = new Pool(origin, {
      connect: this.guard.connector,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    this.pools.set(origin, { pool, usedMs });
    return pool;
  }
}
