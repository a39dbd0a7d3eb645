import { eventually } from '@svc/testing';
import { Client } from 'pg';
import type { Marketplace } from '../stack/marketplace';

/**
 * Writes requests of a wallet straight into billing's tables: as many as nobody can send in a test. They cost nothing and no money
 * moved for them, so that reconciliation finds nothing amiss: the served ones came too late, every fiftieth was not served at all.
 * They stand in lists and sums when it returns.
 */
export async function seedUsage(market: Marketplace, wallet: string, rows: number): Promise<void> {
  const database = new Client({ connectionString: market.ready.databaseUrl });
  await database.connect();
  try {
    // Each in a commit of its own: lines and sums are made of whole commits.
    for (let first = 1; first <= rows; first += ROWS_A_COMMIT) {
      const values = [wallet, first, Math.min(rows, first + ROWS_A_COMMIT - 1)];
      await database.query(SERVED, values);
      await database.query(UNSERVED, values);
    }
    // As billing does once a second, at a pace that leaves room for others: whoever makes lines and sums makes each once. What is newer
    // than a transaction that is open somewhere waits for that one's end.
    await eventually(
      async () => {
        const { rows: made } = await database.query<{ read: number }>(
          'SELECT billing.project_statements($1::integer) AS read',
          [ROWS_A_COMMIT],
        );
        if ((made[0]?.read ?? 0) >= ROWS_A_COMMIT) return false;
        const { rows: lines } = await database.query<{ count: number }>(LISTED, [wallet]);
        return lines[0]?.count === rows;
      },
      { timeoutMs: LISTED_WITHIN_MS },
    );
    // No wallet comes by so many at once: what is known of the tables would be of before.
    await database.query(
      'ANALYZE billing.usage_line, billing.usage_hour, billing.usage_day, billing.usage_record, billing.unserved_request',
    );
  } finally {
    await database.end();
  }
}

const ROWS_A_COMMIT = 2_000;
/** Beside whatever else is going on. */
const LISTED_WITHIN_MS = 150_000;
const LISTED = 'SELECT count(*)::integer FROM billing.usage_line WHERE wallet = $1';
const COMMON = `$1, 'req_s' || lpad(n::text, 9, '0'), 'key_' || n / 400 % 40, 'svc/model-' || n / 40 % 9 || '@1'`;

const SERVED = `
  INSERT INTO billing.usage_record
    (wallet, hold_id, key_id, model, offer_id, provider, input_price_per_mtok, output_price_per_mtok, prompt_tokens,
     completion_tokens, token_source, attempts, finish_reason, held, cost, provider_share, platform_loss, late, created_at,
     first_token_ms, total_ms)
  SELECT ${COMMON}, 'ofr_1', '0x' || lpad(to_hex(n / 100 % 12), 40, '0'), 0, 0, 10, n % 700, 'provider', 1, 'stop', 10, 0, 0, 0,
         true, now() - n * interval '4 minutes', n % 900, n % 900 + 100
  FROM generate_series($2::integer, $3::integer) AS n WHERE n % 50 > 0`;

const UNSERVED = `
  INSERT INTO billing.unserved_request
    (wallet, hold_id, key_id, model, reason, code, attempts, route, total_ms, held, created_at)
  SELECT ${COMMON}, 'no_capacity', 'no_capacity', 2,
         '[{"offerId": "ofr_1", "why": "cheapest", "outcome": "first_token_timeout"},
           {"offerId": "ofr_2", "why": "next", "outcome": "busy"}]', 3000, 10, now() - n * interval '4 minutes'
  FROM generate_series($2::integer, $3::integer) AS n WHERE n % 50 = 0`;
