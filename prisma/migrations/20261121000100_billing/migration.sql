-- The ledger. See docs/decisions/0002-ledger-group-commit.md and 0003-who-can-undo-a-charge.md.
--
-- Amounts are base units (10^-6 USDC). Every primary key starts with the wallet, so that a wallet's rows can live on one
-- shard. Key columns compare byte by byte (collation "C"): ids and addresses have no language.

-- ── Tables ────────────────────────────────────────────────────────────────────────────────────────────────────────

-- What a wallet may spend and has spent. The four chain figures are as last read: a limit is min(balance, allowance),
-- settled is what the settlement contract ever pulled; each at the head and at the safe depth.
CREATE TABLE billing.wallet (
  wallet            text COLLATE "C" PRIMARY KEY,
  limit_head        bigint NOT NULL DEFAULT 0,
  limit_safe        bigint NOT NULL DEFAULT 0,
  settled_head      bigint NOT NULL DEFAULT 0,
  settled_safe      bigint NOT NULL DEFAULT 0,
  posted            bigint NOT NULL DEFAULT 0,
  held              bigint NOT NULL DEFAULT 0,
  suspended_at      timestamptz,
  suspension_reason text,
  created_at        timestamptz NOT NULL DEFAULT now(),
  -- One expression: each is read anew by every statement that updates a wallet.
  CHECK (least(limit_head, limit_safe, settled_head, settled_safe, posted, held) >= 0)
) WITH (fillfactor = 50); -- Updated by every batch: room on the page keeps the index out of it.

-- Only the hash of a key comes here.
CREATE TABLE billing.api_key (
  wallet     text COLLATE "C" NOT NULL REFERENCES billing.wallet,
  key_id     text COLLATE "C" NOT NULL,
  key_hash   text COLLATE "C" NOT NULL UNIQUE CHECK (length(key_hash) = 64),
  last_four  text NOT NULL,
  name       text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz,
  PRIMARY KEY (wallet, key_id)
);

CREATE TYPE billing.account AS ENUM ('payer', 'held', 'provider', 'platform_fee', 'platform_loss');

CREATE TYPE billing.transfer_kind AS ENUM (
  'hold',                      -- sets aside what a request may cost at most
  'post', 'void', 'expire',    -- gives the whole hold back; exactly one of them resolves it
  'share', 'fee',              -- a post's charge: to the provider, to the platform
  'refund',                    -- gives a post's charge back, at the platform's cost
  'late_share', 'late_fee',    -- a post that came too late: the platform pays in the payer's place
  'clamp_share', 'clamp_fee'   -- what was served beyond the hold: likewise
);

-- Both sides of a movement in one row, so that it balances by construction. Rows are only ever added.
-- No foreign keys: billing.apply is the only writer, takes wallet and key from rows it has just read, and is the hot path.
CREATE TABLE billing.transfer (
  wallet         text COLLATE "C" NOT NULL,
  -- What the movement belongs to: the hold's id, which is the request's.
  reference      text COLLATE "C" NOT NULL,
  -- Its place within that: the hold is 0, its one resolution 1. So the primary key makes a second resolution impossible,
  -- whatever the code does.
  leg            smallint NOT NULL,
  kind           billing.transfer_kind NOT NULL,
  debit_account  billing.account NOT NULL,
  credit_account billing.account NOT NULL,
  amount         bigint NOT NULL,
  -- Whose provider account is credited.
  provider       text COLLATE "C",
  key_id         text COLLATE "C" NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (wallet, reference, leg),
  CHECK (amount > 0 AND (credit_account = 'provider') = (provider IS NOT NULL) AND CASE kind
    WHEN 'hold'        THEN leg = 0 AND debit_account = 'payer' AND credit_account = 'held'
    WHEN 'post'        THEN leg = 1 AND debit_account = 'held' AND credit_account = 'payer'
    WHEN 'void'        THEN leg = 1 AND debit_account = 'held' AND credit_account = 'payer'
    WHEN 'expire'      THEN leg = 1 AND debit_account = 'held' AND credit_account = 'payer'
    WHEN 'share'       THEN leg = 2 AND debit_account = 'payer' AND credit_account = 'provider'
    WHEN 'fee'         THEN leg = 3 AND debit_account = 'payer' AND credit_account = 'platform_fee'
    WHEN 'refund'      THEN leg = 4 AND debit_account = 'platform_loss' AND credit_account = 'payer'
    WHEN 'late_share'  THEN leg = 5 AND debit_account = 'platform_loss' AND credit_account = 'provider'
    WHEN 'late_fee'    THEN leg = 6 AND debit_account = 'platform_loss' AND credit_account = 'platform_fee'
    WHEN 'clamp_share' THEN leg = 7 AND debit_account = 'platform_loss' AND credit_account = 'provider'
    WHEN 'clamp_fee'   THEN leg = 8 AND debit_account = 'platform_loss' AND credit_account = 'platform_fee'
    ELSE false
  END)
);

-- Holds that are not resolved yet: work rows, added by an admission and removed by the resolution.
CREATE TABLE billing.open_hold (
  wallet      text COLLATE "C" NOT NULL,
  hold_id     text COLLATE "C" NOT NULL,
  key_id      text COLLATE "C" NOT NULL,
  model       text NOT NULL,
  amount      bigint NOT NULL CHECK (amount > 0),
  lease_until timestamptz NOT NULL,
  admitted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (wallet, hold_id)
) WITH (
  -- Small, and all of it turns over within seconds: what matters is the number of dead rows, not their share.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0
);

-- The receipt of a request that was served: prices as pinned, tokens as metered, and what that comes to.
CREATE TABLE billing.usage_record (
  wallet                text COLLATE "C" NOT NULL,
  hold_id               text COLLATE "C" NOT NULL,
  key_id                text COLLATE "C" NOT NULL,
  model                 text NOT NULL,
  offer_id              text NOT NULL,
  provider              text COLLATE "C" NOT NULL,
  input_price_per_mtok  bigint NOT NULL,
  output_price_per_mtok bigint NOT NULL,
  prompt_tokens         integer NOT NULL,
  completion_tokens     integer NOT NULL,
  token_source          text NOT NULL,
  attempts              smallint NOT NULL,
  finish_reason         text NOT NULL,
  held                  bigint NOT NULL,
  cost                  bigint NOT NULL,
  provider_share        bigint NOT NULL,
  -- The price of what was served beyond the hold, paid by the platform.
  platform_loss         bigint NOT NULL,
  -- The post came after the hold had been voided or had expired: the platform paid, the payer was charged nothing.
  late                  boolean NOT NULL,
  created_at            timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (wallet, hold_id),
  -- A receipt that does not add up cannot be stored. The last line is the formula of @svc/money's priceOf.
  CHECK (least(input_price_per_mtok, output_price_per_mtok, prompt_tokens, completion_tokens, platform_loss) >= 0
    AND provider_share BETWEEN 0 AND cost AND cost <= held
    AND cost = div(prompt_tokens::numeric * input_price_per_mtok
                   + completion_tokens::numeric * output_price_per_mtok + 999999, 1000000))
);

-- ── What the database itself refuses ──────────────────────────────────────────────────────────────────────────────

REVOKE UPDATE, DELETE, TRUNCATE ON billing.transfer, billing.usage_record FROM svc_billing;

CREATE FUNCTION billing.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% rows never change', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END
$$;

-- For the owner of the tables too, whom no REVOKE stops.
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON billing.transfer
  FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON billing.usage_record
  FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();

-- What may still be held. A fall of the chain's figures counts as soon as the head shows it, a rise once it is deep
-- enough. Negative after an allowance was revoked below what is already held and posted.
CREATE FUNCTION billing.headroom(w billing.wallet) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT least(w.limit_head + w.settled_head, w.limit_safe + w.settled_safe) - w.posted - w.held
$$;

CREATE FUNCTION billing.refuse_oversell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'wallet % would be oversold', NEW.wallet USING ERRCODE = 'integrity_constraint_violation';
END
$$;

-- A CHECK would also refuse to record that the chain's figures fell; only spending more than there is must fail.
CREATE TRIGGER guard BEFORE UPDATE ON billing.wallet FOR EACH ROW
  WHEN (NEW.posted + NEW.held > OLD.posted + OLD.held AND billing.headroom(NEW) < 0)
  EXECUTE FUNCTION billing.refuse_oversell();

-- ── The batch ─────────────────────────────────────────────────────────────────────────────────────────────────────

-- What became of one operation of a batch; `seq` is its position within its part, from 1.
CREATE TYPE billing.outcome AS (
  part      text,    -- admit, settle, renew
  seq       integer,
  outcome   text,
  wallet    text,
  key_id    text,
  amount    bigint,  -- what is held (admit); what the payer is charged (settle)
  held      bigint,  -- when refused for want of money: what the wallet has held already
  spendable bigint   -- and what it may still hold
);

-- Decides admissions one by one in the order given, against headroom counted down in memory; then books those that
-- passed with one statement. The caller has locked the wallets. A NULL wallet stands for an unknown or revoked key.
CREATE FUNCTION billing.admit_holds(
  lease_until timestamptz,
  a_wallet text[], a_key_id text[], a_hold text[], a_amount bigint[], a_model text[]
) RETURNS SETOF billing.outcome LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  o         record;
  result    billing.outcome;
  current   text;
  remaining bigint;
  standing  bigint;
  admitted  integer[] := '{}';
BEGIN
  FOR o IN
    SELECT op.*, w.suspended_at, w.held AS wallet_held, billing.headroom(w) AS headroom,
           h.amount AS known_amount, h.key_id AS known_key
    FROM unnest(a_wallet, a_key_id, a_hold, a_amount) WITH ORDINALITY AS op (wallet, key_id, hold_id, amount, seq)
    LEFT JOIN billing.wallet w ON w.wallet = op.wallet
    LEFT JOIN billing.transfer h ON h.wallet = op.wallet AND h.reference = op.hold_id AND h.leg = 0
    ORDER BY op.wallet, op.seq
  LOOP
    IF o.wallet IS DISTINCT FROM current THEN
      current := o.wallet;
      remaining := o.headroom;
      standing := o.wallet_held;
    END IF;
    result := ('admit', o.seq, NULL, o.wallet, o.key_id, o.amount, standing, greatest(remaining, 0));
    IF o.wallet IS NULL THEN
      result.outcome := 'unknown_key';
    ELSIF o.known_amount IS NOT NULL THEN
      -- A repeat: the decision was made and stands, whatever has changed since.
      result.outcome := CASE
        WHEN o.known_amount <> o.amount OR o.known_key <> o.key_id THEN 'different'
        WHEN EXISTS (SELECT FROM billing.open_hold h WHERE h.wallet = o.wallet AND h.hold_id = o.hold_id) THEN 'held'
        ELSE 'resolved'
      END;
    ELSIF o.suspended_at IS NOT NULL THEN
      result.outcome := 'suspended';
    ELSIF o.amount > remaining THEN
      result.outcome := 'insufficient';
    ELSE
      result.outcome := 'held';
      remaining := remaining - o.amount;
      standing := standing + o.amount;
      admitted := admitted || o.seq::integer;
    END IF;
    RETURN NEXT result;
  END LOOP;

  IF admitted = '{}' THEN
    RETURN;
  END IF;
  WITH op AS (
    SELECT a_wallet[n] AS wallet, a_hold[n] AS hold_id, a_key_id[n] AS key_id, a_amount[n] AS amount, a_model[n] AS model
    FROM unnest(admitted) AS n
  ), booked AS (
    INSERT INTO billing.transfer (wallet, reference, leg, kind, debit_account, credit_account, amount, key_id)
    SELECT op.wallet, op.hold_id, 0, 'hold', 'payer', 'held', op.amount, op.key_id FROM op
    RETURNING wallet, amount
  ), opened AS (
    INSERT INTO billing.open_hold (wallet, hold_id, key_id, model, amount, lease_until)
    SELECT op.wallet, op.hold_id, op.key_id, op.model, op.amount, admit_holds.lease_until FROM op
  )
  UPDATE billing.wallet w SET held = w.held + d.amount
  FROM (SELECT b.wallet, sum(b.amount)::bigint AS amount FROM booked b GROUP BY b.wallet) d
  WHERE w.wallet = d.wallet;
END
$$;

-- Resolves holds: `post`, `void`, `abandon` (the caller's words) and `expire` (the sweeper's). Posts carry cost, the
-- provider's share of it, and the same two of what was served beyond the hold; elsewhere these are NULL. One batch names
-- a hold once. The caller has locked the wallets.
CREATE FUNCTION billing.resolve_holds(
  s_kind text[], s_wallet text[], s_hold text[],
  s_cost bigint[], s_share bigint[], s_loss bigint[], s_loss_share bigint[],
  s_model text[], s_offer text[], s_provider text[], s_input_price bigint[], s_output_price bigint[],
  s_prompt_tokens integer[], s_completion_tokens integer[], s_token_source text[], s_attempts smallint[],
  s_finish_reason text[]
) RETURNS SETOF billing.outcome LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  moment timestamptz := clock_timestamp();
  done   integer[];
  o      record;
  state  text;
BEGIN
  -- The usual case, for the whole batch at once: whoever removes the open hold has resolved it.
  WITH resolved AS (
    DELETE FROM billing.open_hold h
    USING unnest(s_kind, s_wallet, s_hold, s_cost, s_share, s_loss, s_loss_share) WITH ORDINALITY
      AS op (kind, wallet, hold_id, cost, share, loss, loss_share, seq)
    WHERE h.wallet = op.wallet AND h.hold_id = op.hold_id
      AND (op.kind <> 'post' OR op.cost <= h.amount)
      AND (op.kind <> 'expire' OR h.lease_until <= moment)
    RETURNING op.seq::integer AS seq, op.kind, h.wallet, h.hold_id, h.key_id, h.amount,
              op.cost, op.share, op.loss, op.loss_share, s_provider[op.seq] AS provider
  ), booked AS (
    INSERT INTO billing.transfer
      (wallet, reference, leg, kind, debit_account, credit_account, amount, provider, key_id)
    SELECT r.wallet, r.hold_id, leg.leg, leg.kind::billing.transfer_kind, leg.debit::billing.account,
           leg.credit::billing.account, leg.amount, leg.provider, r.key_id
    FROM resolved r CROSS JOIN LATERAL (VALUES
      (1, CASE r.kind WHEN 'abandon' THEN 'void' ELSE r.kind END, 'held', 'payer', r.amount, NULL),
      (2, 'share', 'payer', 'provider', r.share, r.provider),
      (3, 'fee', 'payer', 'platform_fee', r.cost - r.share, NULL),
      (7, 'clamp_share', 'platform_loss', 'provider', r.loss_share, r.provider),
      (8, 'clamp_fee', 'platform_loss', 'platform_fee', r.loss - r.loss_share, NULL)
    ) AS leg (leg, kind, debit, credit, amount, provider)
    WHERE leg.amount > 0
  ), receipts AS (
    INSERT INTO billing.usage_record
      (wallet, hold_id, key_id, model, offer_id, provider, input_price_per_mtok, output_price_per_mtok, prompt_tokens,
       completion_tokens, token_source, attempts, finish_reason, held, cost, provider_share, platform_loss, late)
    SELECT r.wallet, r.hold_id, r.key_id, s_model[r.seq], s_offer[r.seq], r.provider,
           s_input_price[r.seq], s_output_price[r.seq], s_prompt_tokens[r.seq], s_completion_tokens[r.seq],
           s_token_source[r.seq], s_attempts[r.seq], s_finish_reason[r.seq],
           r.amount, r.cost, r.share, r.loss, false
    FROM resolved r WHERE r.kind = 'post'
  ), charged AS (
    UPDATE billing.wallet w SET held = w.held - d.amount, posted = w.posted + d.cost
    FROM (SELECT r.wallet, sum(r.amount)::bigint AS amount, coalesce(sum(r.cost), 0)::bigint AS cost
          FROM resolved r GROUP BY r.wallet) d
    WHERE w.wallet = d.wallet
  )
  SELECT coalesce(array_agg(r.seq), '{}') INTO done FROM resolved r;

  RETURN QUERY
    SELECT 'settle', n,
           CASE s_kind[n] WHEN 'post' THEN 'posted' WHEN 'expire' THEN 'expired' ELSE 'voided' END,
           s_wallet[n], NULL::text, coalesce(s_cost[n], 0), NULL::bigint, NULL::bigint
    FROM unnest(done) AS n;
  IF cardinality(done) = cardinality(s_kind) THEN
    RETURN;
  END IF;

  -- The rest are repeats, latecomers and strangers: few, so one by one.
  FOR o IN
    SELECT op.*, t.*, u.late, u.cost AS recorded
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
        (6, 'late_fee', 'platform_fee', s_cost[o.seq] - s_share[o.seq], NULL),
        (7, 'clamp_share', 'provider', s_loss_share[o.seq], s_provider[o.seq]),
        (8, 'clamp_fee', 'platform_fee', s_loss[o.seq] - s_loss_share[o.seq], NULL)
      ) AS leg (leg, kind, credit, amount, provider)
      WHERE leg.amount > 0;
      INSERT INTO billing.usage_record
        (wallet, hold_id, key_id, model, offer_id, provider, input_price_per_mtok, output_price_per_mtok, prompt_tokens,
         completion_tokens, token_source, attempts, finish_reason, held, cost, provider_share, platform_loss, late)
      SELECT o.wallet, o.hold_id, o.key_id, s_model[o.seq], s_offer[o.seq], s_provider[o.seq],
             s_input_price[o.seq], s_output_price[o.seq], s_prompt_tokens[o.seq], s_completion_tokens[o.seq],
             s_token_source[o.seq], s_attempts[o.seq], s_finish_reason[o.seq],
             o.amount, s_cost[o.seq], s_share[o.seq], s_loss[o.seq], true;
      state := 'late';
    ELSIF o.kind = 'abandon' AND state = 'posted' AND o.recorded > 0 THEN
      INSERT INTO billing.transfer (wallet, reference, leg, kind, debit_account, credit_account, amount, key_id)
      VALUES (o.wallet, o.hold_id, 4, 'refund', 'platform_loss', 'payer', o.recorded, o.key_id);
      UPDATE billing.wallet w SET posted = w.posted - o.recorded WHERE w.wallet = o.wallet;
      state := 'refunded';
    END IF;
    RETURN NEXT ('settle', o.seq, state, o.wallet, NULL, CASE state WHEN 'posted' THEN o.recorded ELSE 0 END,
                 NULL, NULL)::billing.outcome;
  END LOOP;
END
$$;

-- One batch of the ledger's operations, in one commit. The arrays of a part are of equal length; a part may be empty.
-- Plans are pinned: the arrays' lengths differ from call to call, and a plan that was made for an empty table or is
-- made anew for each call costs more than the work.
CREATE FUNCTION billing.apply(
  lease_ms integer,
  a_key_hash text[], a_hold text[], a_amount bigint[], a_model text[],
  s_kind text[], s_wallet text[], s_hold text[],
  s_cost bigint[], s_share bigint[], s_loss bigint[], s_loss_share bigint[],
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
  renewed_until timestamptz;
BEGIN
  IF cardinality(a_hold) > 0 THEN
    SELECT array_agg(k.wallet ORDER BY op.seq), array_agg(k.key_id ORDER BY op.seq) INTO a_wallet, a_key_id
    FROM unnest(a_key_hash) WITH ORDINALITY AS op (key_hash, seq)
    LEFT JOIN billing.api_key k ON k.key_hash = op.key_hash AND k.revoked_at IS NULL;
  END IF;

  -- Always in the same order, so that two batches never wait for each other.
  PERFORM FROM billing.wallet w WHERE w.wallet = ANY (a_wallet || s_wallet || r_wallet)
  ORDER BY w.wallet FOR NO KEY UPDATE;
  renewed_until := clock_timestamp() + lease_ms * interval '1 millisecond';

  IF cardinality(r_hold) > 0 THEN
    RETURN QUERY
      UPDATE billing.open_hold h SET lease_until = renewed_until
      FROM unnest(r_wallet, r_hold) WITH ORDINALITY AS op (wallet, hold_id, seq)
      WHERE h.wallet = op.wallet AND h.hold_id = op.hold_id
      RETURNING 'renew', op.seq::integer, 'renewed', h.wallet, h.key_id, h.amount, NULL::bigint, NULL::bigint;
  END IF;
  -- Resolutions first: what they free can be held again at once.
  IF cardinality(s_hold) > 0 THEN
    RETURN QUERY SELECT * FROM billing.resolve_holds(
      s_kind, s_wallet, s_hold, s_cost, s_share, s_loss, s_loss_share, s_model, s_offer, s_provider, s_input_price,
      s_output_price, s_prompt_tokens, s_completion_tokens, s_token_source, s_attempts, s_finish_reason);
  END IF;
  IF cardinality(a_hold) > 0 THEN
    RETURN QUERY SELECT * FROM billing.admit_holds(renewed_until, a_wallet, a_key_id, a_hold, a_amount, a_model);
  END IF;
END
$$;

-- Records what the chain shows, for the wallets whose figures changed: only those are locked, in the same order as by a
-- batch. Figures are cut off where their sums would leave BIGINT; safe ones that are NULL stay as they were. Returns how
-- many wallets changed.
CREATE FUNCTION billing.write_limits(
  l_wallet text[], l_limit_head numeric[], l_settled_head numeric[], l_limit_safe numeric[], l_settled_safe numeric[]
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  most    CONSTANT numeric := 4000000000000000000;
  changed integer;
BEGIN
  UPDATE billing.wallet w
  SET limit_head = n.limit_head, settled_head = n.settled_head,
      limit_safe = coalesce(n.limit_safe, w.limit_safe), settled_safe = coalesce(n.settled_safe, w.settled_safe)
  FROM (
    SELECT k.wallet, r.limit_head, r.settled_head, r.limit_safe, r.settled_safe
    FROM billing.wallet k
    JOIN unnest(l_wallet, l_limit_head, l_settled_head, l_limit_safe, l_settled_safe)
      AS u (wallet, limit_head, settled_head, limit_safe, settled_safe) ON u.wallet = k.wallet
    CROSS JOIN LATERAL (
      SELECT least(u.limit_head, most)::bigint AS limit_head, least(u.settled_head, most)::bigint AS settled_head,
             CASE WHEN u.limit_safe IS NOT NULL THEN least(u.limit_safe, most)::bigint END AS limit_safe,
             CASE WHEN u.settled_safe IS NOT NULL THEN least(u.settled_safe, most)::bigint END AS settled_safe
    ) r
    WHERE (k.limit_head, k.settled_head, k.limit_safe, k.settled_safe) IS DISTINCT FROM
          (r.limit_head, r.settled_head, coalesce(r.limit_safe, k.limit_safe), coalesce(r.settled_safe, k.settled_safe))
    ORDER BY k.wallet
    FOR NO KEY UPDATE OF k
  ) n
  WHERE w.wallet = n.wallet;
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed;
END
$$;
