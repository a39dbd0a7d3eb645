-- A request stands under its idempotency key for its time, and not until what is past it is deleted: once a minute, or not at all while that
-- cannot be done. Whoever comes after it takes the place of a charged request, whose reply goes. One that still runs stays.
-- Who is refused for the budget of a key is told what requests under that key hold, beside what that budget leaves: it was told what those under
-- all keys of the wallet do.

-- Decides admissions, one by one in the order given where they might not all pass, against headroom counted down in memory; then books those
-- that passed with one statement. The caller has locked the wallets. A NULL wallet stands for a key that may not be used.
-- `unsettled_cap` bounds what a wallet may owe and hold beyond what the chain has collected.
CREATE OR REPLACE FUNCTION billing.admit_holds(
  lease_until timestamptz, moment timestamptz, unsettled_cap bigint, idempotency_ms bigint,
  a_wallet text[], a_key_id text[], a_hold text[], a_amount bigint[], a_model text[],
  a_idempotency text[], a_fingerprint text[]
) RETURNS SETOF billing.outcome LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  usual     boolean;
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
  -- Those of them whose idempotency key stands for a request that is past its time.
  succeeding integer[] := '{}';
BEGIN
  -- The usual case, for the whole batch at once: usable keys, no request that was seen before, and all of it fits together, so that each
  -- fits in whatever order. What has no cap (NULL) takes anything.
  SELECT bool_and(
    d.is_new AND w.suspended_at IS NULL AND w.pull_failed_at IS NULL
    AND d.of_wallet <= least(billing.headroom(w), unsettled_cap - greatest(w.posted - w.credited - w.settled_safe, 0) - w.held)
    AND (b.cap IS NULL OR d.of_key <= b.cap - b.held
      - CASE WHEN b.period_start < billing.period_of(b.reset, moment, b.period_start) THEN 0 ELSE b.spent END)
  )
  INTO usual
  FROM (
    SELECT op.wallet, op.key_id, sum(op.amount) AS of_key, sum(sum(op.amount)) OVER (PARTITION BY op.wallet) AS of_wallet,
           bool_and(op.wallet IS NOT NULL AND op.idempotency_hash IS NULL AND h.leg IS NULL) AS is_new
    FROM unnest(a_wallet, a_key_id, a_hold, a_amount, a_idempotency) AS op (wallet, key_id, hold_id, amount, idempotency_hash)
    LEFT JOIN billing.transfer h ON h.wallet = op.wallet AND h.reference = op.hold_id AND h.leg = 0
    GROUP BY op.wallet, op.key_id
  ) d
  LEFT JOIN billing.wallet w ON w.wallet = d.wallet
  LEFT JOIN billing.key_budget b ON b.wallet = d.wallet AND b.key_id = d.key_id;

  IF usual THEN
    admitted := ARRAY (SELECT generate_subscripts(a_hold, 1));
    RETURN QUERY
      SELECT 'admit', n, 'held', a_wallet[n], a_key_id[n], a_amount[n], NULL::bigint, NULL::bigint, NULL::text, NULL::text
      FROM unnest(admitted) AS n;
  ELSE
    FOR o IN
      SELECT op.*, w.suspended_at, w.pull_failed_at, w.held AS wallet_held, billing.headroom(w) AS headroom,
             unsettled_cap - greatest(w.posted - w.credited - w.settled_safe, 0) - w.held AS cap_left,
             b.cap - b.held
               - CASE WHEN b.period_start < billing.period_of(b.reset, moment, b.period_start) THEN 0 ELSE b.spent END
               AS key_headroom, b.held AS key_held,
             dense_rank() OVER (ORDER BY op.wallet, op.key_id)::integer AS key_rank,
             h.amount AS known_amount, h.key_id AS known_key,
             i.fingerprint AS known_fingerprint, i.hold_id AS known_hold, i.completed_at,
             i.completed_at IS NOT NULL AND i.expires_at <= moment AS is_past
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
      ELSIF o.known_hold IS NOT NULL AND NOT o.is_past THEN
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
        IF result.limited_by = 'key' THEN
          result.held := o.key_held + coalesce(taken[o.key_rank], 0);
        END IF;
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
        IF o.is_past THEN
          succeeding := succeeding || o.seq::integer;
        END IF;
      END IF;
      RETURN NEXT result;
    END LOOP;
  END IF;

  IF admitted = '{}' THEN
    RETURN;
  END IF;
  IF succeeding <> '{}' THEN
    DELETE FROM billing.idempotency i
    USING unnest(succeeding) AS n WHERE i.wallet = a_wallet[n] AND i.idempotency_hash = a_idempotency[n];
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
