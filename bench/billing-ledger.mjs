// The bench's wallets, written straight into the ledger's tables, and the checks of what a run left there.
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { PAIR } from './billing-load.mjs';

const require = createRequire(import.meta.url);
const { Client } = require('pg');

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** The bench's wallets: they have means in the ledger only, not on the chain. */
export function benchWallets(count) {
  return Array.from({ length: count }, (_, index) => ({
    wallet: `0x${sha256(`bench wallet ${index}`).slice(0, 40)}`,
    keyHash: sha256(`bench key ${index}`),
  }));
}

export class BenchLedger {
  static async connect(databaseUrl) {
    const ledger = new BenchLedger();
    ledger.client = new Client({ connectionString: databaseUrl });
    await ledger.client.connect();
    return ledger;
  }

  /** Gives each wallet 10^15 base units and one key. */
  async seed(wallets) {
    const addresses = wallets.map(({ wallet }) => wallet);
    await this.client.query(
      `INSERT INTO billing.wallet (wallet, limit_head, limit_safe)
       SELECT w, 1000000000000000, 1000000000000000 FROM unnest($1::text[]) w`,
      [addresses],
    );
    await this.client.query(
      `SELECT count(billing.add_key(w, 'key_' || left(h, 24), h, 'nche', 'bench', NULL, NULL))
       FROM unnest($1::text[], $2::text[]) AS u (w, h)`,
      [addresses, wallets.map(({ keyHash }) => keyHash)],
    );
    await this.client.query(
      'VACUUM (ANALYZE) billing.wallet, billing.api_key, billing.key_secret, billing.key_budget',
    );
  }

  /** Waits until receipts and statements have been made of everything, so that a scenario pays for its own only. */
  async followed() {
    const waiting = `SELECT EXISTS (SELECT FROM billing.usage_record u, billing.projection p
                                    WHERE p.name <> 'credit' AND u.txid >= p.next_txid) AS any`;
    while ((await this.client.query(waiting)).rows[0].any) await new Promise((done) => setTimeout(done, 200));
  }

  /**
   * Compares the ledger with what the generator was told.
   * @param pairs how many pairs were answered as posted
   * @throws Error naming what differs
   */
  async check(pairs) {
    const { rows } = await this.client.query(CHECK);
    const found = rows[0];
    const expected = {
      held: '0',
      openHolds: '0',
      posted: String(pairs * PAIR.cost),
      receipts: found.posted,
      difference: '0',
    };
    for (const [name, value] of Object.entries(expected)) {
      if (found[name] !== value) throw new Error(`${name} is ${found[name]}, not ${value}`);
    }
    return found;
  }

  close() {
    return this.client.end();
  }
}

/** `difference`: what the transfers say that payers paid or have on hold, less what their wallets say. */
const CHECK = `
SELECT (SELECT sum(held) FROM billing.wallet)::text AS held,
       (SELECT count(*) FROM billing.open_hold)::text AS "openHolds",
       (SELECT sum(posted) FROM billing.wallet)::text AS posted,
       (SELECT sum(cost) FROM billing.usage_record)::text AS receipts,
       (SELECT sum(amount) FILTER (WHERE debit_account = 'payer') - sum(amount) FILTER (WHERE credit_account = 'payer')
        FROM billing.transfer)
       - (SELECT sum(posted + held) FROM billing.wallet) || '' AS difference`;
