import type { Pool } from 'pg';

/** What was found to be wrong, by the number of its invariant. */
export interface Violation {
  readonly invariant: number;
  readonly what: string;
  readonly rows: unknown[];
}

/**
 * Puts witnesses into the database, as its owner: what only shows at the moment of a commit (3 and 8: an admission must not
 * leave a wallet or a key with less than nothing) is looked at in that commit, after everything it did; and what was
 * committed once is remembered (13).
 */
export async function watchLedger(owner: Pool, unsettledCap: bigint): Promise<void> {
  await owner.query(`
    CREATE SCHEMA watch;
    CREATE TABLE watch.violation (invariant integer, what text, detail text);
    CREATE TABLE watch.seen (kind text, id text, digest text, PRIMARY KEY (kind, id));
    CREATE TABLE watch.pulled (wallet text PRIMARY KEY, pulled numeric NOT NULL);

    CREATE FUNCTION watch.look_at_admission() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
    DECLARE
      w billing.wallet;
      b billing.key_budget;
    BEGIN
      SELECT * INTO w FROM billing.wallet x WHERE x.wallet = NEW.wallet;
      IF billing.headroom(w) < 0 THEN
        INSERT INTO watch.violation VALUES (3, 'an admission ended with headroom below zero', w::text);
      END IF;
      IF greatest(w.posted - w.credited - w.settled_safe, 0) + w.held > ${unsettledCap} THEN
        INSERT INTO watch.violation VALUES (3, 'an admission ended above the unsettled cap', w::text);
      END IF;
      SELECT * INTO b FROM billing.key_budget x WHERE x.wallet = NEW.wallet AND x.key_id = NEW.key_id;
      IF b.cap < b.held + (CASE WHEN b.period_start < billing.period_of(b.reset, now(), b.period_start) THEN 0 ELSE b.spent END) THEN
        INSERT INTO watch.violation VALUES (8, 'an admission ended above the key''s cap', b::text);
      END IF;
      RETURN NULL;
    END
    $$;
    CREATE CONSTRAINT TRIGGER watch AFTER INSERT ON billing.open_hold DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION watch.look_at_admission();`);
}

/** The rows of these tables never change and never go. */
const IMMUTABLE = {
  transfer: `SELECT wallet || '/' || reference || '/' || leg AS id, md5(t::text) AS digest FROM billing.transfer t`,
  usage_record: `SELECT wallet || '/' || hold_id AS id, md5(u::text) AS digest FROM billing.usage_record u`,
  credit: `SELECT wallet || '/' || kind || '/' || credit_id AS id, md5(c::text) AS digest FROM billing.credit c`,
  settlement_due: `SELECT wallet || '/' || seq AS id, md5(d::text) AS digest FROM billing.settlement_due d`,
};

/** 13: what was seen before is there, as it was; what is new is remembered. */
export async function checkUnchanged(owner: Pool): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const [kind, rows] of Object.entries(IMMUTABLE)) {
    const { rows: changed } = await owner.query(
      `SELECT s.kind, s.id FROM watch.seen s LEFT JOIN (${rows}) r ON r.id = s.id
       WHERE s.kind = $1 AND r.digest IS DISTINCT FROM s.digest LIMIT 5`,
      [kind],
    );
    if (changed.length > 0)
      found.push({ invariant: 13, what: `rows of ${kind} have changed or are gone`, rows: changed });
    await owner.query(
      `INSERT INTO watch.seen SELECT $1, r.id, r.digest FROM (${rows}) r ON CONFLICT DO NOTHING`,
      [kind],
    );
  }
  return found;
}
