-- A request's record bears the time that its charge is counted by, taken under the locks. It bore the begin of a transaction that may have
-- waited for them past midnight: the charge was counted for the new day, and its refund looked for it in the old one.

-- Resolves holds: `post`, `void`, `abandon` (the caller's words) and `expire` (the sweeper's). Posts carry cost and
-- the provider's share of it; elsewhere these are NULL. Releases may carry attempts, route, code and total time. What was served beyond the hold nobody pays for: legs 7 and 8, and a
-- receipt's platform_loss, are history. One batch names a hold once. The caller has locked the wallets.
CREATE OR REPLACE FUNCTION billing.resolve_holds(
  moment timestamptz,
  s_kind text[], s_wallet text[], s_hold text[], s_reason text[],
  s_cost bigint[], s_share bigint[],
  s_model text[], s_offer text[], s_provider text[], s_input_price bigint[], s_output_price bigint[],
  s_prompt_tokens integer[], s_completion_tokens integer[], s_token_source text[], s_attempts smallint[],
  s_finish_reason text[], s_route jsonb[], s_code text[], s_first_token_ms integer[], s_total_ms integer[]
) RETURNS SETOF billing.outcome LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  done  integer[];
  keyed integer[];
  gone  integer;
  o     record;
  state text;
BEGIN
  -- The usual case, for the whole batch at once: whoever removes the open hold has resolved it. OFFSET 0 keeps the lookup a lookup, of one
  -- hold by its key; the wallets' locks keep each hold in its place until it is removed there.
  WITH resolved AS MATERIALIZED (
    SELECT op.seq::integer AS seq, op.kind, h.wallet, h.hold_id, h.key_id, h.model, h.amount, h.idempotency_hash,
           op.cost, op.share, s_provider[op.seq] AS provider, h.place
    FROM unnest(s_kind, s_wallet, s_hold, s_cost, s_share) WITH ORDINALITY
      AS op (kind, wallet, hold_id, cost, share, seq)
    CROSS JOIN LATERAL (
      SELECT o.ctid AS place, o.* FROM billing.open_hold o
      WHERE o.wallet = op.wallet AND o.hold_id = op.hold_id
      OFFSET 0
    ) h
    WHERE (op.kind <> 'post' OR op.cost <= h.amount)
      AND (op.kind <> 'expire' OR h.lease_until <= moment)
  ), removed AS (
    DELETE FROM billing.open_hold WHERE ctid = ANY (ARRAY (SELECT r.place FROM resolved r)) RETURNING 1
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
       completion_tokens, token_source, attempts, finish_reason, route, first_token_ms, total_ms, held, cost,
       provider_share, platform_loss, late, created_at)
    SELECT r.wallet, r.hold_id, r.key_id, s_model[r.seq], s_offer[r.seq], r.provider,
           s_input_price[r.seq], s_output_price[r.seq], s_prompt_tokens[r.seq], s_completion_tokens[r.seq],
           s_token_source[r.seq], s_attempts[r.seq], s_finish_reason[r.seq], s_route[r.seq],
           s_first_token_ms[r.seq], s_total_ms[r.seq], r.amount, r.cost, r.share, 0, false,
           moment
    FROM resolved r WHERE r.kind = 'post'
  ), unserved AS (
    INSERT INTO billing.unserved_request
      (wallet, hold_id, key_id, model, reason, code, attempts, route, total_ms, held, created_at)
    SELECT r.wallet, r.hold_id, r.key_id, r.model,
           coalesce(s_reason[r.seq], CASE r.kind WHEN 'expire' THEN 'expired' ELSE r.kind END),
           s_code[r.seq], s_attempts[r.seq], s_route[r.seq], s_total_ms[r.seq], r.amount, moment
    FROM resolved r WHERE r.kind <> 'post'
  ), counted AS (
    UPDATE billing.key_budget b
    SET held = b.held - d.amount,
        spent = d.cost + CASE WHEN b.period_start < billing.period_of(b.reset, moment, b.period_start) AND d.cost > 0
                              THEN 0 ELSE b.spent END,
        -- Never back, whatever the clock does: the period that was left would begin again with nothing spent.
        period_start = CASE WHEN d.cost > 0 THEN greatest(b.period_start, billing.period_of(b.reset, moment, b.period_start))
                            ELSE b.period_start END
    FROM (SELECT r.wallet, r.key_id, sum(r.amount)::bigint AS amount, coalesce(sum(r.cost), 0)::bigint AS cost
          FROM resolved r GROUP BY r.wallet, r.key_id) d
    WHERE b.wallet = d.wallet AND b.key_id = d.key_id
  ), charged AS (
    UPDATE billing.wallet w SET held = w.held - d.amount, posted = w.posted + d.cost
    FROM (SELECT r.wallet, sum(r.amount)::bigint AS amount, coalesce(sum(r.cost), 0)::bigint AS cost
          FROM resolved r GROUP BY r.wallet) d
    WHERE w.wallet = d.wallet
  )
  SELECT coalesce(array_agg(r.seq), '{}'), array_agg(r.seq) FILTER (WHERE r.idempotency_hash IS NOT NULL),
         (SELECT count(*) FROM removed)
  INTO done, keyed, gone FROM resolved r;
  IF gone <> cardinality(done) THEN
    RAISE 'open holds changed without the lock of their wallets: % of % removed', gone, cardinality(done);
  END IF;

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
         completion_tokens, token_source, attempts, finish_reason, route, first_token_ms, total_ms, held, cost,
         provider_share, platform_loss, late, created_at)
      SELECT o.wallet, o.hold_id, o.key_id, s_model[o.seq], s_offer[o.seq], s_provider[o.seq],
             s_input_price[o.seq], s_output_price[o.seq], s_prompt_tokens[o.seq], s_completion_tokens[o.seq],
             s_token_source[o.seq], s_attempts[o.seq], s_finish_reason[o.seq], s_route[o.seq],
             s_first_token_ms[o.seq], s_total_ms[o.seq], o.amount, s_cost[o.seq], s_share[o.seq], 0, true,
             moment;
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
