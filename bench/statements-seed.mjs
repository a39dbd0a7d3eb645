// A wallet with many usage rows, written straight into a scratch database: a year of them, over keys, models and providers
// that are used unequally, with one key that is hardly ever used, and the transfers that belong to them.

/** Who is asked about. */
export const SUBJECT = {
  wallet: `0x${'a'.repeat(40)}`,
  provider: `0x${'0'.repeat(39)}1`,
  frequentKey: 'key_1',
  rareKey: 'key_rare',
  model: 'svc/model-1@1',
  batchId: `0x${'b'.repeat(64)}`,
};

const CHARGED = `
INSERT INTO billing.usage_record
  (wallet, hold_id, key_id, model, offer_id, provider, input_price_per_mtok, output_price_per_mtok, prompt_tokens,
   completion_tokens, token_source, attempts, finish_reason, held, cost, provider_share, platform_loss, late, created_at,
   first_token_ms, total_ms, txid)
SELECT CASE WHEN n % 11 = 10 THEN '0x' || lpad(to_hex(n % 500), 40, 'c') ELSE $1 END,
       'req_' || lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || lpad(to_hex(n), 12, '0'),
       CASE WHEN n % 50000 = 7 THEN $2 ELSE 'key_' || floor(power(k, 2) * 5)::int END,
       'svc/model-' || floor(power(m, 2) * 4)::int || '@1', 'offer-1',
       '0x' || lpad(to_hex(floor(power(p, 2) * 6)::int), 40, '0'),
       150000, 600000, 1000, 500, 'provider', 1, 'stop', 1000, 450, 405, 0, n % 200 = 3, at,
       n % 900, n % 900 + 800,
       -- Commits of this cluster's past: what is still to come is not projected.
       (3 + n::bigint * 600 / $3)::text::xid8
FROM (SELECT n, random() AS k, random() AS m, random() AS p,
             '2025-11-01'::timestamptz + (n + random()) * $4::double precision / $3 * interval '1 second' AS at
      FROM generate_series(1, $3::integer) AS n) draw`;

/** One in a hundred, at the times of those that were served. */
const UNSERVED = `
INSERT INTO billing.unserved_request
  (wallet, hold_id, key_id, model, reason, code, attempts, total_ms, held, created_at, txid)
SELECT wallet, hold_id || 'f', key_id, model, 'no_capacity', 'no_capacity', 2, 3000, held,
       created_at + interval '1 millisecond', txid
FROM billing.usage_record WHERE ('x' || right(hold_id, 2))::bit(8)::int IN (21, 42, 84)`;

const TRANSFERS = `
INSERT INTO billing.transfer (wallet, reference, leg, kind, debit_account, credit_account, amount, provider, key_id, created_at)
SELECT u.wallet, u.hold_id, leg.leg, leg.kind::billing.transfer_kind, leg.debit::billing.account, leg.credit::billing.account,
       leg.amount, leg.provider, u.key_id, u.created_at
FROM billing.usage_record u CROSS JOIN LATERAL (VALUES
  (0, 'hold', 'payer', 'held', u.held, NULL), (1, 'post', 'held', 'payer', u.held, NULL),
  (2, 'share', 'payer', 'provider', u.provider_share, u.provider),
  (3, 'fee', 'payer', 'platform_fee', u.cost - u.provider_share, NULL)) AS leg (leg, kind, debit, credit, amount, provider)`;

const CREDITS = `
INSERT INTO billing.credit (wallet, credit_id, kind, amount, reason, actor, created_at, txid)
SELECT wallet, hold_id, 'refund', cost, 'bench', 'bench', created_at + interval '1 minute', txid
FROM billing.usage_record WHERE wallet = $1 AND NOT late AND ('x' || right(hold_id, 2))::bit(8)::int = 9`;

const YEAR_SECONDS = 385 * 24 * 3_600;

/** @param client connected as the owner of the tables */
export async function seedStatements(client, rows, say) {
  const step = async (name, work) => {
    const startedMs = performance.now();
    const result = await work();
    say(`${name}: ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
    return result;
  };
  const { wallet, rareKey, batchId } = SUBJECT;
  await client.query('SET synchronous_commit = off');
  await client.query('SELECT setseed(0.42)');
  await client.query(
    `INSERT INTO billing.wallet (wallet, limit_head, limit_safe, posted) VALUES ($1, 4000000000000, 4000000000000, 400000000)`,
    [wallet],
  );
  // A tenth more: other wallets' rows lie between the wallet's own.
  const all = Math.round(rows * 1.1);
  await step('usage records', () => client.query(CHARGED, [wallet, rareKey, all, YEAR_SECONDS]));
  await step('unserved requests', () => client.query(UNSERVED));
  await step('transfers', () => client.query(TRANSFERS));
  await step('credits', () => client.query(CREDITS, [wallet]));
  await client.query(
    'ANALYZE billing.usage_record, billing.unserved_request, billing.credit, billing.transfer',
  );
  for (const name of ['project_statements', 'project_receipts']) {
    await step(name, async () => {
      for (let read = 2_000; read >= 2_000;) {
        ({ read } = (await client.query(`SELECT billing.${name}(2000) AS read`)).rows[0]);
      }
    });
  }
  await client.query(
    `UPDATE billing.receipt SET batch_id = $2, leaf = sha256(receipt_id::bytea) WHERE (wallet, receipt_id, kind) IN (
       SELECT wallet, receipt_id, kind FROM billing.receipt WHERE wallet = $1 AND kind = 'usage' ORDER BY created_at LIMIT 2000)`,
    [wallet, batchId],
  );
  await step('vacuum', () => client.query('VACUUM (ANALYZE)'));
}
