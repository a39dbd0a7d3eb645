-- Budgets of keys, credits and refunds with a reason, settlement as transfers, idempotent requests.
-- See docs/decisions/0008-budgets-and-limits.md and 0009-idempotency.md.

-- ── Wallets ───────────────────────────────────────────────────────────────────────────────────────────────────────

-- What a wallet owes is posted - credited. Both only grow, so that what was pulled on chain is never more than posted.
ALTER TABLE billing.wallet
  ADD COLUMN credited       bigint NOT NULL DEFAULT 0,
  -- The chain could not collect what the wallet owes: it is suspended until it is whole. An operator's suspension is
  -- another one (suspended_at), and neither lifts the other.
  ADD COLUMN pull_failed_at timestamptz;

DROP TRIGGER guard ON billing.wallet;

UPDATE billing.wallet w SET posted = w.posted + r.amount, credited = r.amount
FROM (SELECT wallet, sum(amount)::bigint AS amount FROM billing.transfer WHERE kind = 'refund' GROUP BY wallet) r
WHERE r.wallet = w.wallet;

ALTER TABLE billing.wallet
  DROP CONSTRAINT wallet_check,
  ADD CONSTRAINT wallet_check
    -- The bound on credits keeps the sums of a headroom within BIGINT.
    CHECK (least(limit_head, limit_safe, settled_head, settled_safe, posted, credited, held) >= 0
      AND credited <= 1000000000000000000);

CREATE OR REPLACE FUNCTION billing.headroom(w billing.wallet) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT least(w.limit_head + w.settled_head, w.limit_safe + w.settled_safe) - (w.posted - w.credited) - w.held
$$;

-- The headroom is written out: a function in a trigger's condition is expanded anew by every statement.
CREATE TRIGGER guard BEFORE UPDATE ON billing.wallet FOR EACH ROW
  WHEN (NEW.posted - NEW.credited + NEW.held > OLD.posted - OLD.credited + OLD.held
    AND least(NEW.limit_head + NEW.settled_head, NEW.limit_safe + NEW.settled_safe)
        < NEW.posted - NEW.credited + NEW.held)
  EXECUTE FUNCTION billing.refuse_oversell();

CREATE FUNCTION billing.refuse_fall() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'posted and credited of wallet % only grow', NEW.wallet USING ERRCODE = 'integrity_constraint_violation';
END
$$;

CREATE TRIGGER only_grows BEFORE UPDATE ON billing.wallet FOR EACH ROW
  WHEN (NEW.posted < OLD.posted OR NEW.credited < OLD.credited)
  EXECUTE FUNCTION billing.refuse_fall();

-- What the two limits of a wallet are made of, as last read: limit = min(balance, allowance). Not in the wallet's own row,
-- which every batch rewrites. No foreign key: checking it would wait for whoever holds the wallet.
CREATE TABLE billing.wallet_means (
  wallet         text COLLATE "C" PRIMARY KEY,
  balance_head   bigint NOT NULL,
  allowance_head bigint NOT NULL,
  -- NULL until that depth could be read.
  balance_safe   bigint,
  allowance_safe bigint,
  CHECK (least(balance_head, allowance_head, balance_safe, allowance_safe) >= 0)
);

-- ── Keys ──────────────────────────────────────────────────────────────────────────────────────────────────────────

-- A key keeps its name, budget and history when its value is replaced.
CREATE TABLE billing.key_secret (
  key_hash   text COLLATE "C" PRIMARY KEY CHECK (length(key_hash) = 64),
  wallet     text COLLATE "C" NOT NULL,
  key_id     text COLLATE "C" NOT NULL,
  last_four  text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Set when another value replaced it: it works on until then.
  expires_at timestamptz,
  -- Whether its key is neither revoked nor disabled: kept by the triggers below, so that an admission reads one row.
  usable     boolean NOT NULL DEFAULT true,
  FOREIGN KEY (wallet, key_id) REFERENCES billing.api_key
);
CREATE UNIQUE INDEX key_secret_current ON billing.key_secret (wallet, key_id) WHERE expires_at IS NULL;
CREATE INDEX key_secret_replaced ON billing.key_secret (wallet, key_id, expires_at);

INSERT INTO billing.key_secret (key_hash, wallet, key_id, last_four, created_at, usable)
SELECT key_hash, wallet, key_id, last_four, created_at, revoked_at IS NULL FROM billing.api_key;

ALTER TABLE billing.api_key
  DROP COLUMN key_hash,
  DROP COLUMN last_four,
  ADD COLUMN disabled_at timestamptz;

CREATE FUNCTION billing.pass_on_usable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE billing.key_secret s SET usable = NEW.revoked_at IS NULL AND NEW.disabled_at IS NULL
  WHERE s.wallet = NEW.wallet AND s.key_id = NEW.key_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER pass_on_usable AFTER UPDATE OF revoked_at, disabled_at ON billing.api_key FOR EACH ROW
  EXECUTE FUNCTION billing.pass_on_usable();

CREATE FUNCTION billing.take_over_usable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Locked, so that a revocation under way is waited for.
  SELECT k.revoked_at IS NULL AND k.disabled_at IS NULL INTO NEW.usable
  FROM billing.api_key k WHERE k.wallet = NEW.wallet AND k.key_id = NEW.key_id FOR SHARE;
  RETURN NEW;
END
$$;
CREATE TRIGGER take_over_usable BEFORE INSERT ON billing.key_secret FOR EACH ROW
  EXECUTE FUNCTION billing.take_over_usable();

CREATE TYPE billing.budget_reset AS ENUM ('daily', 'weekly', 'monthly');

-- What a key may spend and has spent. Written by every batch, so apart from the key itself. Only under its wallet's lock.
CREATE TABLE billing.key_budget (
  wallet       text COLLATE "C" NOT NULL,
  key_id       text COLLATE "C" NOT NULL,
  -- The most that may be spent, in a period if there is a reset; NULL is no limit but the wallet's.
  cap          bigint CHECK (cap >= 0),
  reset        billing.budget_reset,
  -- The beginning of the period that `spent` counts for, UTC; weeks begin on Monday. Without a reset: the key's.
  period_start timestamptz NOT NULL,
  spent        bigint NOT NULL DEFAULT 0,
  held         bigint NOT NULL DEFAULT 0,
  last_used_at timestamptz,
  PRIMARY KEY (wallet, key_id),
  FOREIGN KEY (wallet, key_id) REFERENCES billing.api_key,
  CHECK (least(spent, held) >= 0)
) WITH (fillfactor = 50);

INSERT INTO billing.key_budget (wallet, key_id, period_start, spent, held)
SELECT k.wallet, k.key_id, k.created_at,
       coalesce((SELECT sum(CASE t.kind WHEN 'refund' THEN -t.amount ELSE t.amount END) FROM billing.transfer t
                 WHERE t.wallet = k.wallet AND t.key_id = k.key_id AND t.kind IN ('share', 'fee', 'refund')), 0),
       coalesce((SELECT sum(h.amount) FROM billing.open_hold h WHERE h.wallet = k.wallet AND h.key_id = k.key_id), 0)
FROM billing.api_key k;

CREATE FUNCTION billing.period_of(reset billing.budget_reset, moment timestamptz, otherwise timestamptz)
RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE reset
    WHEN 'daily' THEN date_trunc('day', moment, 'UTC')
    WHEN 'weekly' THEN date_trunc('week', moment, 'UTC')
    WHEN 'monthly' THEN date_trunc('month', moment, 'UTC')
    ELSE otherwise
  END
$$;

-- Adds a key with its value and its budget. Returns nothing; a hash that is known, or a wallet that is not, changes
-- nothing.
CREATE FUNCTION billing.add_key(
  a_wallet text, a_key_id text, a_key_hash text, a_last_four text, a_name text, a_cap bigint, a_reset billing.budget_reset
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM billing.wallet w WHERE w.wallet = a_wallet) THEN
    RETURN;
  END IF;
  INSERT INTO billing.api_key (wallet, key_id, name) VALUES (a_wallet, a_key_id, a_name);
  INSERT INTO billing.key_secret (key_hash, wallet, key_id, last_four) VALUES (a_key_hash, a_wallet, a_key_id, a_last_four);
  INSERT INTO billing.key_budget (wallet, key_id, cap, reset, period_start)
  VALUES (a_wallet, a_key_id, a_cap, a_reset, billing.period_of(a_reset, now(), now()));
EXCEPTION WHEN unique_violation THEN
  -- Everything above is undone.
  RETURN;
END
$$;

-- ── Transfers ─────────────────────────────────────────────────────────────────────────────────────────────────────

-- Credits and movements that the chain shows belong to no key.
ALTER TABLE billing.transfer
  ALTER COLUMN key_id DROP NOT NULL,
  DROP CONSTRAINT transfer_check,
  -- What each leg is, by its number from 0. As arrays, because every statement reads a constraint's whole text anew, and
  -- that of a CASE for each leg cost small batches a quarter of their time. Leg 1 may also be a void or an expire. The
  -- reference of legs 10 to 13 is a reading of the chain; payouts are the provider's, who stands in the wallet's place.
  ADD CONSTRAINT transfer_check CHECK (
    amount > 0 AND leg BETWEEN 0 AND 13
    AND (kind = ('{hold,post,share,fee,refund,late_share,late_fee,clamp_share,clamp_fee,credit,settle,unsettle,payout,unpayout}'
                 ::billing.transfer_kind[])[leg + 1]
         OR leg = 1 AND kind = ANY ('{void,expire}'::billing.transfer_kind[]))
    AND debit_account = ('{payer,held,payer,payer,platform_loss,platform_loss,platform_loss,platform_loss,platform_loss,platform_loss,settled,payer,provider,settled}'
                         ::billing.account[])[leg + 1]
    AND credit_account = ('{held,payer,provider,platform_fee,payer,provider,platform_fee,provider,platform_fee,payer,payer,settled,settled,provider}'
                          ::billing.account[])[leg + 1]
    AND (leg = ANY ('{2,5,7,12,13}'::smallint[])) = (provider IS NOT NULL)
  );

-- Numbers the readings of the chain that moved money; makes the references of settle and payout transfers.
CREATE SEQUENCE billing.chain_reading;
GRANT USAGE ON SEQUENCE billing.chain_reading TO svc_billing;

-- Which commit a receipt came with: readers that follow the table take only what no running commit can still add to.
ALTER TABLE billing.usage_record ADD COLUMN txid xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX usage_record_txid ON billing.usage_record (txid);

-- Why a wallet owes less than it was charged: refunds of single requests (the id is the request's), and credits.
CREATE TABLE billing.credit (
  wallet     text COLLATE "C" NOT NULL,
  credit_id  text COLLATE "C" NOT NULL,
  kind       text NOT NULL CHECK (kind IN ('refund', 'credit')),
  amount     bigint NOT NULL CHECK (amount > 0),
  reason     text NOT NULL CHECK (length(reason) BETWEEN 1 AND 200),
  -- Who gave it: `system`, or the operator's word for themselves.
  actor      text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  txid       xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (wallet, kind, credit_id)
);
CREATE INDEX credit_txid ON billing.credit (txid);

INSERT INTO billing.credit (wallet, credit_id, kind, amount, reason, actor, created_at)
SELECT wallet, reference, 'refund', amount, 'abandoned', 'system', created_at FROM billing.transfer WHERE kind = 'refund';

REVOKE UPDATE, DELETE, TRUNCATE ON billing.credit FROM svc_billing;
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON billing.credit
  FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();

-- ── Idempotent requests ───────────────────────────────────────────────────────────────────────────────────────────

-- One row per Idempotency-Key that runs or has been charged. A request that fails takes its row with it, in the commit
-- that frees its hold: refusals are not pinned.
CREATE TABLE billing.idempotency (
  wallet           text COLLATE "C" NOT NULL,
  idempotency_hash text COLLATE "C" NOT NULL CHECK (length(idempotency_hash) = 64),
  -- SHA-256 of the request: another request under the same key is refused.
  fingerprint      text COLLATE "C" NOT NULL CHECK (length(fingerprint) = 64),
  hold_id          text COLLATE "C" NOT NULL,
  created_at       timestamptz NOT NULL DEFAULT now(),
  expires_at       timestamptz NOT NULL,
  -- Set by the commit that charges; the response is stored before.
  completed_at     timestamptz,
  PRIMARY KEY (wallet, idempotency_hash),
  UNIQUE (wallet, hold_id)
);
CREATE INDEX idempotency_expiry ON billing.idempotency (expires_at);

-- The reply of an idempotent request as it went to the client, in pieces, encrypted by dispatch under a key that billing
-- does not have.
CREATE TABLE billing.stored_response (
  wallet  text COLLATE "C" NOT NULL,
  hold_id text COLLATE "C" NOT NULL,
  part    smallint NOT NULL CHECK (part >= 0),
  bytes   bytea NOT NULL,
  PRIMARY KEY (wallet, hold_id, part),
  FOREIGN KEY (wallet, hold_id) REFERENCES billing.idempotency (wallet, hold_id) ON DELETE CASCADE
);
-- Encrypted bytes do not compress.
ALTER TABLE billing.stored_response ALTER COLUMN bytes SET STORAGE EXTERNAL;

ALTER TABLE billing.open_hold ADD COLUMN idempotency_hash text COLLATE "C";

-- ── The batch, anew ───────────────────────────────────────────────────────────────────────────────────────────────

ALTER TYPE billing.outcome
  ADD ATTRIBUTE hold_id text,     -- the request that an Idempotency-Key stands for already
  ADD ATTRIBUTE limited_by text;  -- when refused for want of money: wallet, unsettled, key

DROP FUNCTION billing.apply;
DROP FUNCTION billing.admit_holds;
DROP FUNCTION billing.resolve_holds;

-- Decides admissions one by one in the order given, against headroom counted down in memory; then books those that
-- passed with one statement. The caller has locked the wallets. A NULL wallet stands for a key that may not be used.
-- `unsettled_cap` bounds what a wallet may owe and hold beyond what the chain has collected.
CREATE FUNCTION billing.admit_holds(
  lease_until timestamptz, moment timestamptz, unsettled_cap bigint, idempotency_ms bigint,
  a_wallet text[], a_key_id text[], a_hold text[], a_amount bigint[], a_model text[],
  a_idempotency text[], a_fingerprint text[]
) RETURNS SETOF billing.outcome LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  o         record;
  result    billing.outcome;
  current   text;
  -- Of the current wallet: what may still be held by its means, and by the cap; what is held.
  remaining bigint;
  uncapped  bigint;
  standing  bigint;
  -- Taken in this batch by each key, by its rank.
  taken     bigint[];
  key_left  bigint;
  -- The idempotency keys of the current wallet that this batch has given to a request, and to which.
  claims    text[];
  claimants integer[];
  claimant  integer;
  admitted  integer[] := '{}';
BEGIN
  FOR o IN
    SELECT op.*, w.suspended_at, w.pull_failed_at, w.held AS wallet_held, billing.headroom(w) AS headroom,
           unsettled_cap - greatest(w.posted - w.credited - w.settled_safe, 0) - w.held AS cap_left,
           b.cap - b.held
             - CASE WHEN b.period_start < billing.period_of(b.reset, moment, b.period_start) THEN 0 ELSE b.spent END
             AS key_headroom,
           dense_rank() OVER (ORDER BY op.wallet, op.key_id)::integer AS key_rank,
           h.amount AS known_amount, h.key_id AS known_key,
           i.fingerprint AS known_fingerprint, i.hold_id AS known_hold, i.completed_at
    FROM unnest(a_wallet, a_key_id, a_hold, a_amount, a_idempotency, a_fingerprint) WITH ORDINALITY
      AS op (wallet, key_id, hold_id, amount, idempotency_hash, fingerprint, seq)
    LEFT JOIN billing.wallet w ON w.wallet = op.wallet
    LEFT JOIN billing.key_budget b ON b.wallet = op.wallet AND b.key_id = op.key_id
    LEFT JOIN billing.transfer h ON h.wallet = op.wallet AND h.reference = op.hold_id AND h.leg = 0
    LEFT JOIN billing.idempotency i ON i.wallet = op.wallet AND i.idempotency_hash = op.idempotency_hash
    ORDER BY op.wallet, op.seq
  LOOP
    IF o.wallet IS DISTINCT FROM current THEN
      current := o.wallet;
      remaining := o.headroom;
      uncapped := o.cap_left;
      standing := o.wallet_held;
      claims := '{}';
      claimants := '{}';
    END IF;
    key_left := o.key_headroom - coalesce(taken[o.key_rank], 0);
    result := ('admit', o.seq, NULL, o.wallet, o.key_id, o.amount, standing,
               greatest(least(remaining, uncapped, key_left), 0), NULL, NULL);
    IF o.wallet IS NULL THEN
      result.outcome := 'unknown_key';
    ELSIF o.known_amount IS NOT NULL THEN
      -- A repeat: the decision was made and stands, whatever has changed since.
      result.outcome := CASE
        WHEN o.known_amount <> o.amount OR o.known_key <> o.key_id THEN 'different'
        WHEN EXISTS (SELECT FROM billing.open_hold h WHERE h.wallet = o.wallet AND h.hold_id = o.hold_id) THEN 'held'
        ELSE 'resolved'
      END;
    ELSIF o.suspended_at IS NOT NULL OR o.pull_failed_at IS NOT NULL THEN
      result.outcome := 'suspended';
    ELSIF o.known_hold IS NOT NULL THEN
      result.hold_id := o.known_hold;
      result.amount := (SELECT h.amount FROM billing.transfer h
                        WHERE h.wallet = o.wallet AND h.reference = o.known_hold AND h.leg = 0);
      result.outcome := CASE
        WHEN o.known_fingerprint <> o.fingerprint THEN 'mismatch'
        WHEN o.completed_at IS NOT NULL THEN 'completed'
        ELSE 'running'
      END;
    ELSIF o.idempotency_hash = ANY (claims) THEN
      claimant := claimants[array_position(claims, o.idempotency_hash)];
      result.hold_id := a_hold[claimant];
      result.amount := a_amount[claimant];
      result.outcome := CASE WHEN a_fingerprint[claimant] <> o.fingerprint THEN 'mismatch' ELSE 'running' END;
    ELSIF o.amount > least(remaining, uncapped, key_left) THEN
      result.outcome := 'insufficient';
      result.limited_by := CASE least(remaining, uncapped, key_left)
        WHEN remaining THEN 'wallet' WHEN uncapped THEN 'unsettled' ELSE 'key' END;
    ELSE
      result.outcome := 'held';
      remaining := remaining - o.amount;
      uncapped := uncapped - o.amount;
      standing := standing + o.amount;
      taken[o.key_rank] := coalesce(taken[o.key_rank], 0) + o.amount;
      admitted := admitted || o.seq::integer;
      IF o.idempotency_hash IS NOT NULL THEN
        claims := claims || o.idempotency_hash;
        claimants := claimants || o.seq::integer;
      END IF;
    END IF;
    RETURN NEXT result;
  END LOOP;

  IF admitted = '{}' THEN
    RETURN;
  END IF;
  WITH op AS (
    SELECT a_wallet[n] AS wallet, a_hold[n] AS hold_id, a_key_id[n] AS key_id, a_amount[n] AS amount, a_model[n] AS model,
           a_idempotency[n] AS idempotency_hash, a_fingerprint[n] AS fingerprint
    FROM unnest(admitted) AS n
  ), booked AS (
    INSERT INTO billing.transfer (wallet, reference, leg, kind, debit_account, credit_account, amount, key_id)
    SELECT op.wallet, op.hold_id, 0, 'hold', 'payer', 'held', op.amount, op.key_id FROM op
    RETURNING wallet, key_id, amount
  ), opened AS (
    INSERT INTO billing.open_hold (wallet, hold_id, key_id, model, amount, lease_until, idempotency_hash)
    SELECT op.wallet, op.hold_id, op.key_id, op.model, op.amount, admit_holds.lease_until, op.idempotency_hash FROM op
  ), pinned AS (
    INSERT INTO billing.idempotency (wallet, idempotency_hash, fingerprint, hold_id, expires_at)
    SELECT op.wallet, op.idempotency_hash, op.fingerprint, op.hold_id,
           moment + idempotency_ms * interval '1 millisecond'
    FROM op WHERE op.idempotency_hash IS NOT NULL
  ), counted AS (
    UPDATE billing.key_budget b SET held = b.held + d.amount, last_used_at = moment
    FROM (SELECT k.wallet, k.key_id, sum(k.amount)::bigint AS amount FROM booked k GROUP BY k.wallet, k.key_id) d
    WHERE b.wallet = d.wallet AND b.key_id = d.key_id
  )
  UPDATE billing.wallet w SET held = w.held + d.amount
  FROM (SELECT b.wallet, sum(b.amount)::bigint AS amount FROM booked b GROUP BY b.wallet) d
  WHERE w.wallet = d.wallet;
END
$$;

-- Gives a posted charge back, at the platform's cost; the caller has locked the wallet and knows that it stands.
CREATE FUNCTION billing.give_back(
  a_wallet text, a_hold text, a_key_id text, a_amount bigint, a_posted_at timestamptz, a_reason text, a_actor text
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO billing.transfer (wallet, reference, leg, kind, debit_account, credit_account, amount, key_id)
  VALUES (a_wallet, a_hold, 4, 'refund', 'platform_loss', 'payer', a_amount, a_key_id);
  INSERT INTO billing.credit (wallet, credit_id, kind, amount, reason, actor)
  VALUES (a_wallet, a_hold, 'refund', a_amount, a_reason, a_actor);
  UPDATE billing.wallet w SET credited = w.credited + a_amount WHERE w.wallet = a_wallet;
  -- A charge of an earlier period is no longer counted.
  UPDATE billing.key_budget b SET spent = greatest(b.spent - a_amount, 0)
  WHERE b.wallet = a_wallet AND b.key_id = a_key_id AND a_posted_at >= b.period_start;
  DELETE FROM billing.idempotency i WHERE i.wallet = a_wallet AND i.hold_id = a_hold;
END
$$;

-- Resolves holds: `post`, `void`, `abandon` (the caller's words) and `expire` (the sweeper's). Posts carry cost and
-- the provider's share of it; elsewhere these are NULL. What was served beyond the hold nobody pays for: legs 7 and 8, and a
-- receipt's platform_loss, are history. One batch names a hold once. The caller has locked the wallets.
CREATE FUNCTION billing.resolve_holds(
  moment timestamptz,
  s_kind text[], s_wallet text[], s_hold text[], s_reason text[],
  s_cost bigint[], s_share bigint[],
  s_model text[], s_offer text[], s_provider text[], s_input_price bigint[], s_output_price bigint[],
  s_prompt_tokens integer[], s_completion_tokens integer[], s_token_source text[], s_attempts smallint[],
  s_finish_reason text[]
) RETURNS SETOF billing.outcome LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  done  integer[];
  keyed integer[];
  o     record;
  state text;
BEGIN
  -- The usual case, for the whole batch at once: whoever removes the open hold has resolved it.
  WITH resolved AS (
    DELETE FROM billing.open_hold h
    USING unnest(s_kind, s_wallet, s_hold, s_cost, s_share) WITH ORDINALITY
      AS op (kind, wallet, hold_id, cost, share, seq)
    WHERE h.wallet = op.wallet AND h.hold_id = op.hold_id
      AND (op.kind <> 'post' OR op.cost <= h.amount)
      AND (op.kind <> 'expire' OR h.lease_until <= moment)
    RETURNING op.seq::integer AS seq, op.kind, h.wallet, h.hold_id, h.key_id, h.amount, h.idempotency_hash,
              op.cost, op.share, s_provider[op.seq] AS provider
  ), booked AS (
    INSERT INTO billing.transfer
      (wallet, reference, leg, kind, debit_account, credit_account, amount, provider, key_id)
    SELECT r.wallet, r.hold_id, 1::smallint,
           (CASE r.kind WHEN 'abandon' THEN 'void' ELSE r.kind END)::billing.transfer_kind,
           'held'::billing.account, 'payer'::billing.account, r.amount, NULL::text, r.key_id
    FROM resolved r
    UNION ALL
    SELECT r.wallet, r.hold_id, 2::smallint, 'share', 'payer', 'provider', r.share, r.provider, r.key_id
    FROM resolved r WHERE r.share > 0
    UNION ALL
    SELECT r.wallet, r.hold_id, 3::smallint, 'fee', 'payer', 'platform_fee', r.cost - r.share, NULL, r.key_id
    FROM resolved r WHERE r.cost > r.share
  ), receipts AS (
    INSERT INTO billing.usage_record
      (wallet, hold_id, key_id, model, offer_id, provider, input_price_per_mtok, output_price_per_mtok, prompt_tokens,
       completion_tokens, token_source, attempts, finish_reason, held, cost, provider_share, platform_loss, late)
    SELECT r.wallet, r.hold_id, r.key_id, s_model[r.seq], s_offer[r.seq], r.provider,
           s_input_price[r.seq], s_output_price[r.seq], s_prompt_tokens[r.seq], s_completion_tokens[r.seq],
           s_token_source[r.seq], s_attempts[r.seq], s_finish_reason[r.seq],
           r.amount, r.cost, r.share, 0, false
    FROM resolved r WHERE r.kind = 'post'
  ), counted AS (
    UPDATE billing.key_budget b
    SET held = b.held - d.amount,
        spent = d.cost + CASE WHEN b.period_start < billing.period_of(b.reset, moment, b.period_start) AND d.cost > 0
                              THEN 0 ELSE b.spent END,
        period_start = CASE WHEN d.cost > 0 THEN billing.period_of(b.reset, moment, b.period_start) ELSE b.period_start END
    FROM (SELECT r.wallet, r.key_id, sum(r.amount)::bigint AS amount, coalesce(sum(r.cost), 0)::bigint AS cost
          FROM resolved r GROUP BY r.wallet, r.key_id) d
    WHERE b.wallet = d.wallet AND b.key_id = d.key_id
  ), charged AS (
    UPDATE billing.wallet w SET held = w.held - d.amount, posted = w.posted + d.cost
    FROM (SELECT r.wallet, sum(r.amount)::bigint AS amount, coalesce(sum(r.cost), 0)::bigint AS cost
          FROM resolved r GROUP BY r.wallet) d
    WHERE w.wallet = d.wallet
  )
  SELECT coalesce(array_agg(r.seq), '{}'), array_agg(r.seq) FILTER (WHERE r.idempotency_hash IS NOT NULL)
  INTO done, keyed FROM resolved r;

  IF keyed IS NOT NULL THEN
    -- A post pins the reply that was stored before it; everything else frees the key for another try.
    UPDATE billing.idempotency i SET completed_at = moment
    FROM unnest(keyed) AS n WHERE s_kind[n] = 'post' AND i.wallet = s_wallet[n] AND i.hold_id = s_hold[n];
    DELETE FROM billing.idempotency i
    USING unnest(keyed) AS n WHERE s_kind[n] <> 'post' AND i.wallet = s_wallet[n] AND i.hold_id = s_hold[n];
  END IF;

  RETURN QUERY
    SELECT 'settle', n,
           CASE s_kind[n] WHEN 'post' THEN 'posted' WHEN 'expire' THEN 'expired' ELSE 'voided' END,
           s_wallet[n], NULL::text, coalesce(s_cost[n], 0), NULL::bigint, NULL::bigint, NULL::text, NULL::text
    FROM unnest(done) AS n;
  IF cardinality(done) = cardinality(s_kind) THEN
    RETURN;
  END IF;

  -- The rest are repeats, latecomers and strangers: few, so one by one.
  FOR o IN
    SELECT op.*, t.*, u.late, u.cost AS recorded, u.created_at AS posted_at
    FROM unnest(s_kind, s_wallet, s_hold) WITH ORDINALITY AS op (kind, wallet, hold_id, seq)
    CROSS JOIN LATERAL (
      SELECT max(x.amount) FILTER (WHERE x.kind = 'hold') AS amount, max(x.key_id) AS key_id,
             bool_or(x.kind = 'post') AS posted, bool_or(x.kind = 'void') AS voided,
             bool_or(x.kind = 'expire') AS expired, bool_or(x.kind = 'refund') AS refunded
      FROM billing.transfer x WHERE x.wallet = op.wallet AND x.reference = op.hold_id
    ) t
    LEFT JOIN billing.usage_record u ON u.wallet = op.wallet AND u.hold_id = op.hold_id
    WHERE NOT op.seq = ANY (done)
    ORDER BY op.seq
  LOOP
    state := CASE
      WHEN o.amount IS NULL THEN 'unknown'
      WHEN o.refunded THEN 'refunded'
      WHEN o.posted THEN 'posted'
      WHEN o.late THEN 'late'
      WHEN o.voided THEN 'voided'
      WHEN o.expired THEN 'expired'
      ELSE 'open'
    END;
    IF o.kind = 'post' AND state IN ('open', 'voided', 'expired') AND s_cost[o.seq] > o.amount THEN
      state := 'above_hold';
    ELSIF o.kind = 'post' AND state IN ('voided', 'expired') THEN
      INSERT INTO billing.transfer
        (wallet, reference, leg, kind, debit_account, credit_account, amount, provider, key_id)
      SELECT o.wallet, o.hold_id, leg.leg, leg.kind::billing.transfer_kind, 'platform_loss', leg.credit::billing.account,
             leg.amount, leg.provider, o.key_id
      FROM (VALUES
        (5, 'late_share', 'provider', s_share[o.seq], s_provider[o.seq]),
        (6, 'late_fee', 'platform_fee', s_cost[o.seq] - s_share[o.seq], NULL)
      ) AS leg (leg, kind, credit, amount, provider)
      WHERE leg.amount > 0;
      INSERT INTO billing.usage_record
        (wallet, hold_id, key_id, model, offer_id, provider, input_price_per_mtok, output_price_per_mtok, prompt_tokens,
         completion_tokens, token_source, attempts, finish_reason, held, cost, provider_share, platform_loss, late)
      SELECT o.wallet, o.hold_id, o.key_id, s_model[o.seq], s_offer[o.seq], s_provider[o.seq],
             s_input_price[o.seq], s_output_price[o.seq], s_prompt_tokens[o.seq], s_completion_tokens[o.seq],
             s_token_source[o.seq], s_attempts[o.seq], s_finish_reason[o.seq],
             o.amount, s_cost[o.seq], s_share[o.seq], 0, true;
      state := 'late';
    ELSIF o.kind = 'abandon' AND state = 'posted' AND o.recorded > 0 THEN
      PERFORM billing.give_back(o.wallet, o.hold_id, o.key_id, o.recorded, o.posted_at,
                                coalesce(s_reason[o.seq], 'abandoned'), 'system');
      state := 'refunded';
    END IF;
    RETURN NEXT ('settle', o.seq, state, o.wallet, NULL, CASE state WHEN 'posted' THEN o.recorded ELSE 0 END,
                 NULL, NULL, NULL, NULL)::billing.outcome;
  END LOOP;
END
$$;

-- One batch of the ledger's operations, in one commit. The arrays of a part are of equal length; a part may be empty.
-- Plans are pinned: the arrays' lengths differ from call to call, and a plan that was made for an empty table or is
-- made anew for each call costs more than the work.
CREATE FUNCTION billing.apply(
  lease_ms integer, unsettled_cap bigint, idempotency_ms bigint,
  a_key_hash text[], a_hold text[], a_amount bigint[], a_model text[], a_idempotency text[], a_fingerprint text[],
  s_kind text[], s_wallet text[], s_hold text[], s_reason text[],
  s_cost bigint[], s_share bigint[],
  s_model text[], s_offer text[], s_provider text[], s_input_price bigint[], s_output_price bigint[],
  s_prompt_tokens integer[], s_completion_tokens integer[], s_token_source text[], s_attempts smallint[],
  s_finish_reason text[],
  r_wallet text[], r_hold text[]
) RETURNS SETOF billing.outcome LANGUAGE plpgsql
SET plan_cache_mode = 'force_generic_plan'
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off
SET enable_material = off SET enable_memoize = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  a_wallet text[] := '{}';
  a_key_id text[];
  moment   timestamptz;
  renewed_until timestamptz;
BEGIN
  IF cardinality(a_hold) > 0 THEN
    SELECT array_agg(s.wallet ORDER BY op.seq), array_agg(s.key_id ORDER BY op.seq) INTO a_wallet, a_key_id
    FROM unnest(a_key_hash) WITH ORDINALITY AS op (key_hash, seq)
    LEFT JOIN billing.key_secret s ON s.key_hash = op.key_hash AND s.usable
      AND (s.expires_at IS NULL OR s.expires_at > clock_timestamp());
  END IF;

  -- Always in the same order, so that two batches never wait for each other.
  PERFORM FROM billing.wallet w WHERE w.wallet = ANY (a_wallet || s_wallet || r_wallet)
  ORDER BY w.wallet FOR NO KEY UPDATE;
  moment := clock_timestamp();
  renewed_until := moment + lease_ms * interval '1 millisecond';

  IF cardinality(r_hold) > 0 THEN
    RETURN QUERY
      UPDATE billing.open_hold h SET lease_until = renewed_until
      FROM unnest(r_wallet, r_hold) WITH ORDINALITY AS op (wallet, hold_id, seq)
      WHERE h.wallet = op.wallet AND h.hold_id = op.hold_id
      RETURNING 'renew', op.seq::integer, 'renewed', h.wallet, h.key_id, h.amount, NULL::bigint, NULL::bigint,
                NULL::text, NULL::text;
  END IF;
  -- Resolutions first: what they free can be held again at once.
  IF cardinality(s_hold) > 0 THEN
    RETURN QUERY SELECT * FROM billing.resolve_holds(
      moment, s_kind, s_wallet, s_hold, s_reason, s_cost, s_share, s_model, s_offer, s_provider,
      s_input_price, s_output_price, s_prompt_tokens, s_completion_tokens, s_token_source, s_attempts, s_finish_reason);
  END IF;
  IF cardinality(a_hold) > 0 THEN
    RETURN QUERY SELECT * FROM billing.admit_holds(
      renewed_until, moment, unsettled_cap, idempotency_ms, a_wallet, a_key_id, a_hold, a_amount, a_model,
      a_idempotency, a_fingerprint);
  END IF;
END
$$;

-- ── What operators give ───────────────────────────────────────────────────────────────────────────────────────────

-- Refunds one posted request. Returns how it stands then: as billing.resolve_holds names it, `unknown` for a stranger.
CREATE FUNCTION billing.refund(a_wallet text, a_hold text, a_reason text, a_actor text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  u billing.usage_record;
BEGIN
  PERFORM FROM billing.wallet w WHERE w.wallet = a_wallet FOR NO KEY UPDATE;
  SELECT * INTO u FROM billing.usage_record r WHERE r.wallet = a_wallet AND r.hold_id = a_hold;
  IF NOT FOUND THEN
    RETURN CASE WHEN EXISTS (SELECT FROM billing.transfer t WHERE t.wallet = a_wallet AND t.reference = a_hold)
           THEN 'uncharged' ELSE 'unknown' END;
  ELSIF u.late OR u.cost = 0 THEN
    RETURN 'uncharged';
  ELSIF EXISTS (SELECT FROM billing.credit c WHERE c.wallet = a_wallet AND c.kind = 'refund' AND c.credit_id = a_hold) THEN
    RETURN 'repeated';
  END IF;
  PERFORM billing.give_back(a_wallet, a_hold, u.key_id, u.cost, u.created_at, a_reason, a_actor);
  RETURN 'refunded';
END
$$;

-- Credits a wallet. Returns `credited`; `repeated` for an id that stands for the same credit, `different` for another;
-- `unknown` for a stranger.
CREATE FUNCTION billing.credit_wallet(a_wallet text, a_credit text, a_amount bigint, a_reason text, a_actor text)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  known billing.credit;
BEGIN
  PERFORM FROM billing.wallet w WHERE w.wallet = a_wallet FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN 'unknown';
  END IF;
  SELECT * INTO known FROM billing.credit c WHERE c.wallet = a_wallet AND c.kind = 'credit' AND c.credit_id = a_credit;
  IF FOUND THEN
    RETURN CASE WHEN (known.amount, known.reason) = (a_amount, a_reason) THEN 'repeated' ELSE 'different' END;
  END IF;
  INSERT INTO billing.transfer (wallet, reference, leg, kind, debit_account, credit_account, amount)
  VALUES (a_wallet, a_credit, 9, 'credit', 'platform_loss', 'payer', a_amount);
  INSERT INTO billing.credit (wallet, credit_id, kind, amount, reason, actor)
  VALUES (a_wallet, a_credit, 'credit', a_amount, a_reason, a_actor);
  UPDATE billing.wallet w SET credited = w.credited + a_amount WHERE w.wallet = a_wallet;
  RETURN 'credited';
END
$$;

-- ── What the chain shows ──────────────────────────────────────────────────────────────────────────────────────────

DROP FUNCTION billing.write_limits;

-- Records what the chain shows, for the wallets whose figures changed: only those are locked, in the same order as by a
-- batch. What was collected at the safe depth is booked as settled in the same commit. Figures are cut off where their sums
-- would leave BIGINT; safe ones that are NULL stay as they were. Returns how many wallets changed.
CREATE FUNCTION billing.write_limits(
  l_wallet text[], l_balance_head numeric[], l_allowance_head numeric[], l_settled_head numeric[],
  l_balance_safe numeric[], l_allowance_safe numeric[], l_settled_safe numeric[]
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  most    CONSTANT numeric := 4000000000000000000;
  changed integer;
BEGIN
  INSERT INTO billing.wallet_means AS m (wallet, balance_head, allowance_head, balance_safe, allowance_safe)
  SELECT k.wallet, least(u.balance_head, most), least(u.allowance_head, most),
         CASE WHEN u.balance_safe IS NOT NULL THEN least(u.balance_safe, most) END,
         CASE WHEN u.allowance_safe IS NOT NULL THEN least(u.allowance_safe, most) END
  FROM billing.wallet k
  JOIN unnest(l_wallet, l_balance_head, l_allowance_head, l_balance_safe, l_allowance_safe)
    AS u (wallet, balance_head, allowance_head, balance_safe, allowance_safe) ON u.wallet = k.wallet
  ORDER BY k.wallet
  ON CONFLICT (wallet) DO UPDATE
  SET balance_head = excluded.balance_head, allowance_head = excluded.allowance_head,
      balance_safe = coalesce(excluded.balance_safe, m.balance_safe),
      allowance_safe = coalesce(excluded.allowance_safe, m.allowance_safe)
  WHERE (m.balance_head, m.allowance_head, m.balance_safe, m.allowance_safe) IS DISTINCT FROM
        (excluded.balance_head, excluded.allowance_head, coalesce(excluded.balance_safe, m.balance_safe),
         coalesce(excluded.allowance_safe, m.allowance_safe));

  WITH news AS (
    SELECT k.wallet, k.settled_safe AS settled_before, r.limit_head, r.settled_head,
           coalesce(r.limit_safe, k.limit_safe) AS limit_safe, coalesce(r.settled_safe, k.settled_safe) AS settled_safe
    FROM billing.wallet k
    JOIN unnest(l_wallet, l_balance_head, l_allowance_head, l_settled_head,
                l_balance_safe, l_allowance_safe, l_settled_safe)
      AS u (wallet, balance_head, allowance_head, settled_head, balance_safe, allowance_safe, settled_safe)
      ON u.wallet = k.wallet
    CROSS JOIN LATERAL (
      SELECT least(u.balance_head, u.allowance_head, most)::bigint AS limit_head,
             least(u.settled_head, most)::bigint AS settled_head,
             CASE WHEN u.balance_safe IS NOT NULL THEN least(u.balance_safe, u.allowance_safe, most)::bigint END
               AS limit_safe,
             CASE WHEN u.settled_safe IS NOT NULL THEN least(u.settled_safe, most)::bigint END AS settled_safe
    ) r
    WHERE (k.limit_head, k.settled_head, k.limit_safe, k.settled_safe) IS DISTINCT FROM
          (r.limit_head, r.settled_head, coalesce(r.limit_safe, k.limit_safe), coalesce(r.settled_safe, k.settled_safe))
    ORDER BY k.wallet
    FOR NO KEY UPDATE OF k
  ), booked AS (
    INSERT INTO billing.transfer (wallet, reference, leg, kind, debit_account, credit_account, amount)
    SELECT n.wallet, 'chain_' || nextval('billing.chain_reading'),
           CASE WHEN d.amount > 0 THEN 10 ELSE 11 END,
           (CASE WHEN d.amount > 0 THEN 'settle' ELSE 'unsettle' END)::billing.transfer_kind,
           (CASE WHEN d.amount > 0 THEN 'settled' ELSE 'payer' END)::billing.account,
           (CASE WHEN d.amount > 0 THEN 'payer' ELSE 'settled' END)::billing.account, abs(d.amount)
    FROM news n CROSS JOIN LATERAL (SELECT n.settled_safe - n.settled_before AS amount) d
    WHERE d.amount <> 0
  ), written AS (
    UPDATE billing.wallet w
    SET limit_head = n.limit_head, settled_head = n.settled_head, limit_safe = n.limit_safe, settled_safe = n.settled_safe
    FROM news n WHERE w.wallet = n.wallet
    RETURNING w.wallet
  )
  SELECT count(*) INTO changed FROM written;
  RETURN changed;
END
$$;
