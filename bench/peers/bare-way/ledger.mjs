// The bare way's ledger: holds and charges, durable before they are answered, committed in groups as svc's are: all that wait go into the
// next batch, and of a crowd batches begin no sooner than 2 ms after each other. `node ledger.mjs NATS DATABASE`
import { setImmediate } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { link, read } from './link.mjs';

const CROWD = 8;
const GATHER_MS = 2;
const WALLET = 'one';
const SCHEMA = `
CREATE TABLE wallet (wallet text PRIMARY KEY, held bigint NOT NULL, posted bigint NOT NULL) WITH (fillfactor = 50);
CREATE TABLE transfer (wallet text, id text, leg smallint, held bigint NOT NULL, posted bigint NOT NULL, PRIMARY KEY (wallet, id, leg));
INSERT INTO wallet VALUES ('${WALLET}', 0, 0);
CREATE FUNCTION apply(w text[], i text[], l smallint[], h bigint[], p bigint[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = 'force_generic_plan' AS $$
BEGIN
  PERFORM FROM wallet WHERE wallet.wallet = ANY (w) ORDER BY wallet.wallet FOR NO KEY UPDATE;
  WITH booked AS (
    INSERT INTO transfer SELECT * FROM unnest(w, i, l, h, p) ON CONFLICT DO NOTHING RETURNING *
  )
  UPDATE wallet SET held = wallet.held + s.held, posted = wallet.posted + s.posted
  FROM (SELECT b.wallet, sum(b.held)::bigint AS held, sum(b.posted)::bigint AS posted FROM booked b GROUP BY b.wallet) s
  WHERE wallet.wallet = s.wallet;
END
$$;`;

const [, , nats, databaseUrl] = process.argv;
const database = new pg.Client({ connectionString: databaseUrl });
await database.connect();
await database.query(SCHEMA);

let waiting = [];
let isPumping = false;

async function pump() {
  await new Promise(setImmediate);
  while (waiting.length > 0) {
    const startedMs = performance.now();
    const batch = waiting;
    waiting = [];
    const column = (name) => batch.map((operation) => operation[name]);
    const values = [column('wallet'), column('id'), column('leg'), column('held'), column('posted')];
    await database.query({ name: 'apply', text: 'SELECT apply($1, $2, $3, $4, $5)', values });
    for (const { done } of batch) done();
    const waitMs = startedMs + GATHER_MS - performance.now();
    if (batch.length >= CROWD && waitMs > 0) await pause(waitMs);
  }
  isPumping = false;
}

function commit(operation) {
  return new Promise((done) => {
    waiting.push({ ...operation, done });
    if (isPumping) return;
    isPumping = true;
    void pump();
  });
}

const { answer } = await link(nats, 'ledger');
await answer('hold', async (data) => {
  const { id, amount } = read(data);
  await commit({ wallet: WALLET, id, leg: 0, held: amount, posted: 0 });
  return JSON.stringify({ wallet: WALLET });
});
await answer('settle', async (data) => {
  const { id, wallet, held, cost } = read(data);
  await commit({ wallet, id, leg: 1, held: -held, posted: cost });
  return JSON.stringify({ id });
});
console.log('ready');
process.stdin.on('end', () => process.exit()).resume();
