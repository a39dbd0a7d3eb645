-- How much each wallet has stored of replies to idempotent requests, so that what is kept can be bounded without adding up the replies themselves.

-- By when they end, in spans of four hours. What a request leaves when it is freed or refunded stays counted until its span is over: who frees
-- requests waits for nobody who stores.
CREATE TABLE billing.stored_bytes (
  wallet     text COLLATE "C" NOT NULL,
  -- The end of the span that the replies end in.
  span_until timestamptz NOT NULL,
  bytes      bigint NOT NULL,
  PRIMARY KEY (wallet, span_until)
);
GRANT DELETE ON billing.stored_bytes TO svc_billing;

INSERT INTO billing.stored_bytes (wallet, span_until, bytes)
SELECT i.wallet, date_bin('4 hours', i.expires_at, 'epoch') + interval '4 hours', sum(octet_length(r.bytes))
FROM billing.stored_response r
JOIN billing.idempotency i ON i.wallet = r.wallet AND i.hold_id = r.hold_id
GROUP BY 1, 2;
