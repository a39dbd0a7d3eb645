import { Injectable } from '@nestjs/common';
import { hangUp, openOwnConnection } from '@svc/persistence';
import { BillingConfig } from '../billing.config';

/** An advisory lock; the number only has to be the same everywhere, and nobody else's. */
const FULL_COMPARISON_LOCK = 20_261_130;
const CONNECT_TIMEOUT_MS = 5_000;
/** For a network that swallows the answer. Neither statement waits for anything. */
const ANSWER_TIMEOUT_MS = 5_000;

/** Of all instances of billing one makes a full comparison at a time. */
@Injectable()
export class FullComparisonTurn {
  constructor(private readonly config: BillingConfig) {}

  /**
   * Does the work, unless another instance has the turn. It ends with a connection of its own, so that an instance that dies has it no
   * more; one whose connection is lost alone finishes its work, and another may begin meanwhile, which only costs time.
   */
  async take(work: () => Promise<void>): Promise<void> {
    const client = await openOwnConnection({
      databaseUrl: this.config.databaseUrl,
      applicationName: 'billing-reconciliation-turn',
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
    });
    try {
      const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
        FULL_COMPARISON_LOCK,
      ]);
      if (rows[0]?.taken) await work();
    } finally {
      hangUp(client);
    }
  }
}
