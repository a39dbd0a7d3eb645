import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { UsageExport } from '@svc/billing-client';
import { SvcError, noCapacity } from '@svc/errors';
import { RpcClient } from '@svc/messaging';
import type { UsageExportQuery } from './usage-query.dto';
import { BILLING_NAMES, selectionOf } from './usage-selection';

/** Billing's instances run few at a time, for everybody. */
const MOST_AT_ONCE = 2;
/** Whoever reads more slowly narrows the time down. */
const LONGEST_MS = 600_000;

/** Hands billing's export on, chunk by chunk as the client reads: it never waits here as a whole. */
@Injectable()
export class UsageExportsService {
  private readonly underWay = new Set<string>();

  constructor(private readonly rpc: RpcClient) {}

  /**
   * @returns when the first chunk is there: what is refused is a reply of its own
   * @throws SvcError invalid_request; no_capacity, also while the wallet has one under way
   */
  async start(wallet: string, query: UsageExportQuery): Promise<Readable> {
    if (this.underWay.has(wallet))
      throw noCapacity('An export of this wallet is under way; wait for its end.', 5);
    if (this.underWay.size >= MOST_AT_ONCE) throw noCapacity('Too many exports are under way.', 10);
    this.underWay.add(wallet);
    const chunks = new UsageExport(this.rpc, selectionOf(wallet, query))[Symbol.asyncIterator]();
    try {
      const first = await chunks.next();
      const stream = Readable.from(following(first, chunks), { objectMode: false });
      const timer = setTimeout(
        () => stream.destroy(new Error('the export took too long')),
        LONGEST_MS,
      ).unref();
      stream.once('close', () => {
        clearTimeout(timer);
        this.underWay.delete(wallet);
        // Billing is told when the client has left, also when it left before anything was read; unless it cannot be told.
        void chunks.return().catch(() => undefined);
      });
      return stream;
    } catch (error) {
      this.underWay.delete(wallet);
      throw inClientsNames(error);
    }
  }
}

async function* following(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

function inClientsNames(error: unknown): unknown {
  if (!SvcError.is(error) || error.payload.param !== 'keyId') return error;
  return new SvcError({ ...error.payload, param: BILLING_NAMES.keyId });
}
