-- What balance and approval of a wallet are the same as before is told apart before it is written: ON CONFLICT locks a row that it then leaves as it
-- was, which wrote the row's page and its log for thousands of wallets with each block.

CREATE OR REPLACE FUNCTION billing.write_limits(
  l_wallet text[], l_balance_head numeric[], l_allowance_head numeric[], l_settled_head numeric[],
  l_balance_safe numeric[], l_allowance_safe numeric[], l_settled_safe numeric[]
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  most    CONSTANT numeric := 4000000000000000000;
  changed integer;
BEGIN
  INSERT INTO billing.wallet_means (wallet, balance_head, allowance_head, balance_safe, allowance_safe)
  SELECT k.wallet, r.balance_head, r.allowance_head, r.balance_safe, r.allowance_safe
  FROM billing.wallet k
  JOIN unnest(l_wallet, l_balance_head, l_allowance_head, l_balance_safe, l_allowance_safe)
    AS u (wallet, balance_head, allowance_head, balance_safe, allowance_safe) ON u.wallet = k.wallet
  LEFT JOIN billing.wallet_means m ON m.wallet = k.wallet
  CROSS JOIN LATERAL (
    SELECT least(u.balance_head, most)::bigint AS balance_head, least(u.allowance_head, most)::bigint AS allowance_head,
           CASE WHEN u.balance_safe IS NULL THEN m.balance_safe ELSE least(u.balance_safe, most)::bigint END AS balance_safe,
           CASE WHEN u.allowance_safe IS NULL THEN m.allowance_safe ELSE least(u.allowance_safe, most)::bigint END
             AS allowance_safe
  ) r
  WHERE m.wallet IS NULL OR (m.balance_head, m.allowance_head, m.balance_safe, m.allowance_safe) IS DISTINCT FROM
                            (r.balance_head, r.allowance_head, r.balance_safe, r.allowance_safe)
  ORDER BY k.wallet
  ON CONFLICT (wallet) DO UPDATE
  SET balance_head = excluded.balance_head, allowance_head = excluded.allowance_head,
      balance_safe = excluded.balance_safe, allowance_safe = excluded.allowance_safe;

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
