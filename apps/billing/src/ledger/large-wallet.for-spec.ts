import { addWallet } from './ledger.for-spec';
import type { TestLedger, TestWallet } from './ledger.for-spec';

/** What the planner was told: nothing, or of wallets with few requests each, or with one. */
export type Told = 'nothing' | 'of small wallets' | 'of wallets with a request each';
export const ALL_TOLD: readonly Told[] = ['nothing', 'of small wallets', 'of wallets with a request each'];

/** A wallet whose `requests` all have their rows, the even ones given back, in a database that was analysed before, if at all. */
export async function addLargeWallet(books: TestLedger, told: Told, requests: number): Promise<TestWallet> {
  await books.database.keepUnanalysed();
  if (told !== 'nothing') {
    const requestsEach = told === 'of small wallets' ? 5 : 1;
    await addRequests(books, `'0x' || lpad(to_hex(nth / ${requestsEach}), 40, '0')`, 'key_0', 10_000);
    await books.sql(`
      INSERT INTO billing.wallet (wallet) SELECT DISTINCT wallet FROM billing.usage_record;
      INSERT INTO billing.api_key (wallet, key_id, name) SELECT wallet, 'key_0', 'small' FROM billing.wallet;
      INSERT INTO billing.key_secret (key_hash, wallet, key_id, last_four)
      SELECT encode(sha256(wallet::bytea), 'hex'), wallet, key_id, 'abcd' FROM billing.api_key;
      ANALYZE`);
  }
  const added = await addWallet(books, 10n ** 9n);
  await addRequests(books, `'${added.wallet}'`, added.keyId, requests);
  return added;
}

/** @param wallet SQL for whose request the `nth` is */
async function addRequests(
  { sql }: TestLedger,
  wallet: string,
  keyId: string,
  requests: number,
): Promise<void> {
  const request = `SELECT ${wallet} AS wallet, 'req_' || lpad(nth::text, 6, '0') AS id, nth,
                          '2026-01-01T00:00:00Z'::timestamptz + nth * interval '1 second' AS at FROM generate_series(1, ${requests}) AS nth`;
  // They refer to wallets and keys that nobody made.
  await sql(`
    BEGIN; SET LOCAL session_replication_role = replica;
    INSERT INTO billing.usage_record
      (wallet, hold_id, key_id, model, offer_id, provider, input_price_per_mtok, output_price_per_mtok, prompt_tokens,
       completion_tokens, token_source, attempts, finish_reason, held, cost, provider_share, platform_loss, late, created_at)
    SELECT wallet, id, '${keyId}', 'svc/demo@1', 'o', 'p', 0, 1000000, 0, 10, 'provider', 1, 'stop', 10, 10, 9, 0, false, at
    FROM (${request}) r;
    INSERT INTO billing.credit (wallet, credit_id, kind, amount, reason, actor, created_at)
    SELECT wallet, id, 'refund', 10, 'r', 'a', at FROM (${request}) r WHERE nth % 2 = 0;
    INSERT INTO billing.transfer (wallet, reference, leg, kind, debit_account, credit_account, amount, key_id)
    SELECT r.wallet, r.id, leg.leg, leg.kind::billing.transfer_kind, leg.debit::billing.account, leg.credit::billing.account, 10, '${keyId}'
    FROM (${request}) r, (VALUES (0, 'hold', 'payer', 'held'), (1, 'post', 'held', 'payer')) AS leg (leg, kind, debit, credit);
    INSERT INTO billing.idempotency (wallet, idempotency_hash, fingerprint, hold_id, created_at, expires_at, completed_at)
    SELECT wallet, encode(sha256(id::bytea), 'hex'), encode(sha256(id::bytea), 'hex'), id, at, now() + interval '1 day', at FROM (${request}) r;
    INSERT INTO billing.usage_line (wallet, created_at, hold_id, key_id, model, provider)
    SELECT wallet, at, id, '${keyId}', 'svc/demo@1', 'p' FROM (${request}) r;
    INSERT INTO billing.usage_hour (wallet, hour, key_id, model, provider, requests, prompt_tokens, completion_tokens, cost)
    SELECT wallet, date_trunc('hour', at), '${keyId}', 'svc/demo@1', 'p', count(*), 0, 10, 10 FROM (${request}) r GROUP BY 1, 2;
    COMMIT`);
}
