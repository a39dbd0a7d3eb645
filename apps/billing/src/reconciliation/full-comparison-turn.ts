import { Inject, Injectable } from '@nestjs/common';
import { prepareSession } from '@svc/persistence';
import { Client } from 'pg';
import type { BillingConfig } from '../billing.config';
import { BILLING_CONFIG } from '../tokens';

/** An advisory lock; the number only has to be the same everywhere, and nobody else's. */
const FULL_COMPARISON_LOCK = 20_261_130;
const CONNECT_TIMEOUT_MS = 5_000;
/** For a network that swallows the answer. Neither statement waits for anything. */
const ANSWER_TIMEOUT_MS = 5_000;

/** Of all instances of billing one makes a full comparison at a time. */
@Injectable()
export class FullComparisonTurn {
  constructor(@Inject(BILLING_CONFIG) private readonly config: BillingConfig) {}

  /**
   * Does the work, unless another instance has the turn. It ends with a connection of its own, so that an instance that dies has it no
   * more; one whose connection is lost alone finishes its work, and another may begin meanwhile, which only costs time.
   */
  async take(work: () => Promise<void>): Promise<void> {
    const client = new Client({
      connectionString: this.config.databaseUrl,
      application_name: 'billing-reconciliation-turn',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
    });
    // Without a listener the loss would end the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await prepareSession(client);
      const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
        FULL_COMPARISON_LOCK,
      ]);
      if (rows[0]?.taken) await work();
    } finally {
      // Hangs where nothing answers: nobody waits for it.
      client.end().catch(() => undefined);
    }
  }
}
