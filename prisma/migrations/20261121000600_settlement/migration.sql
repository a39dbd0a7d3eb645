-- Settlement on chain: the blocks that were read, batches of dues with the receipts they collect, signed transactions.
-- See docs/decisions/0010-settlement-and-receipts.md. Hashes, ids and roots are 0x and 64 lower-case hex digits.

CREATE DOMAIN billing.word AS text COLLATE "C" CHECK (VALUE ~ '^0x[0-9a-f]{64}$');

-- ── What was read of the chain ────────────────────────────────────────────────────────────────────────────────────

-- Recent blocks of the chain that is believed, to find where another one branches off.
CREATE TABLE billing.chain_block (
  number      bigint PRIMARY KEY,
  hash        billing.word NOT NULL,
  parent_hash billing.word NOT NULL
);

-- The block whose figures the wallets have; one row. Written in the commit that writes the figures.
CREATE TABLE billing.chain_position (
  only_row    boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  head_number bigint NOT NULL,
  head_hash   billing.word NOT NULL,
  safe_number bigint NOT NULL,
  -- NULL while that depth could not be read.
  safe_hash   billing.word,
  read_at     timestamptz NOT NULL DEFAULT now()
);

-- What the settlement contract said, block by block; a block that is no longer on the chain takes its events along.
CREATE TABLE billing.settlement_event (
  block_hash   billing.word NOT NULL,
  log_index    integer NOT NULL,
  block_number bigint NOT NULL,
  tx_hash      billing.word NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('pulled', 'pull_failed', 'batch_settled', 'paid', 'payout_failed')),
  -- NULL for payouts.
  batch_id     billing.word,
  -- The payer or the provider; NULL for a whole batch.
  wallet       text COLLATE "C",
  amount       numeric NOT NULL,
  PRIMARY KEY (block_hash, log_index)
);
CREATE INDEX settlement_event_block ON billing.settlement_event (block_number);
CREATE INDEX settlement_event_batch ON billing.settlement_event (batch_id, wallet);

-- ── Batches ───────────────────────────────────────────────────────────────────────────────────────────────────────

CREATE TYPE billing.chain_job_state AS ENUM (
  'signed',  -- signed and stored; whether anybody has it is not known
  'mined',   -- the chain's head shows it
  'settled'  -- so does the safe depth
);

CREATE TABLE billing.settlement_batch (
  batch_id      billing.word PRIMARY KEY,
  state         billing.chain_job_state NOT NULL DEFAULT 'signed',
  -- Merkle root of the dues, as the contract computes it.
  root          billing.word NOT NULL,
  dues          integer NOT NULL CHECK (dues > 0),
  receipts      integer NOT NULL CHECK (receipts >= 0),
  -- What its receipts add up to, base units. What is collected may be more: what earlier batches could not.
  amount        bigint NOT NULL CHECK (amount >= 0),
  created_at    timestamptz NOT NULL DEFAULT now(),
  -- The transaction that did it, and what it cost in wei; known once it is mined.
  tx_hash       billing.word,
  gas_cost      numeric,
  settled_at    timestamptz,
  -- The token was paused or barred the treasury when pulls failed: no payer is to blame.
  excused       boolean NOT NULL DEFAULT false,
  -- The safe block that was found to show it: a reorganisation below it opens the batch again.
  settled_block bigint
);
-- One in flight, whatever the code does.
CREATE UNIQUE INDEX settlement_batch_in_flight ON billing.settlement_batch ((true))
  WHERE state <> 'settled' AND settled_block IS NULL;
CREATE INDEX settlement_batch_open ON billing.settlement_batch (created_at) WHERE state <> 'settled';
CREATE INDEX settlement_batch_created ON billing.settlement_batch (created_at, batch_id);

-- One payer's line in a batch. The lines of a wallet are a chain: each begins where the one before ended.
CREATE TABLE billing.settlement_due (
  wallet     text COLLATE "C" NOT NULL REFERENCES billing.wallet,
  seq        integer NOT NULL CHECK (seq > 0),
  before_seq integer GENERATED ALWAYS AS (nullif(seq - 1, 0)) STORED,
  batch_id   billing.word NOT NULL REFERENCES billing.settlement_batch DEFERRABLE INITIALLY DEFERRED,
  -- Its place among the batch's dues, from 0: the order of the tree.
  position   smallint NOT NULL CHECK (position >= 0),
  -- Cumulative of the line before, and of this one: that and what its receipts add up to.
  previous   bigint NOT NULL CHECK (previous >= 0),
  cumulative bigint NOT NULL,
  -- What the line names on chain if that is less: it asks again, and not all of it is owed any more.
  asked      bigint,
  -- Merkle root of its receipts; zero when it only asks again for what is still owed.
  payer_root billing.word NOT NULL,
  -- What the wallet could pay when the line was made: more later is a reason to ask again.
  means      bigint NOT NULL,
  -- How many lines in a row before this one were not paid in full.
  tries      integer NOT NULL DEFAULT 0 CHECK (tries >= 0),
  PRIMARY KEY (wallet, seq),
  UNIQUE (wallet, batch_id),
  UNIQUE (wallet, seq, cumulative),
  UNIQUE (batch_id, position),
  FOREIGN KEY (wallet, before_seq, previous) REFERENCES billing.settlement_due (wallet, seq, cumulative),
  CHECK (seq > 1 OR previous = 0),
  CHECK (cumulative >= previous AND cumulative > 0),
  CHECK (asked IS NULL OR (asked > 0 AND asked < cumulative AND cumulative = previous)),
  CHECK ((cumulative > previous) = (payer_root <> '0x' || repeat('0', 64)))
);

REVOKE UPDATE, DELETE, TRUNCATE ON billing.settlement_due FROM svc_billing;
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON billing.settlement_due
  FOR EACH STATEMENT EXECUTE FUNCTION billing.refuse_change();

-- Wallets that did not pay all of a due though its batch is settled, until they are whole: to be judged, and few. What a
-- wallet owes changes with every charge, so an index on that would cost each of them. No foreign key: checking it would
-- wait for whoever holds the wallet.
CREATE TABLE billing.short_wallet (wallet text COLLATE "C" PRIMARY KEY);

-- Suspended wallets are looked at by every step. No charge changes the column.
CREATE INDEX wallet_pull_failed ON billing.wallet (wallet) WHERE pull_failed_at IS NOT NULL;

-- What waits, oldest first: dues collect a bounded number of it.
DROP INDEX billing.receipt_unbatched;
CREATE INDEX receipt_unbatched ON billing.receipt (wallet, created_at) INCLUDE (amount) WHERE batch_id IS NULL;

-- A refund or credit that is larger than the charges of any one due is collected in parts: `<id>.1`, `<id>.2` and so on,
-- in the end what is left, under its own id. No other id has a full stop.
ALTER TABLE billing.receipt
  ADD COLUMN part_of text COLLATE "C" CHECK (part_of IS NULL OR kind <> 'usage'),
  -- How many were split off it so far.
  ADD COLUMN parts integer NOT NULL DEFAULT 0 CHECK (parts = 0 OR (kind <> 'usage' AND part_of IS NULL));

-- The due that collects a receipt is named once and for all. Before that, what a refund or credit is lowered by becomes a
-- receipt of its own: they always add up to the same.
CREATE FUNCTION billing.keep_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.batch_id IS NULL AND NEW.batch_id IS NULL AND NEW.leaf IS NULL AND OLD.part_of IS NULL AND NEW.part_of IS NULL
     AND OLD.kind <> 'usage' AND OLD.amount < NEW.amount AND NEW.amount < 0 AND NEW.parts = OLD.parts + 1
     AND (OLD.wallet, OLD.receipt_id, OLD.kind, OLD.created_at) = (NEW.wallet, NEW.receipt_id, NEW.kind, NEW.created_at)
  THEN
    INSERT INTO billing.receipt (wallet, receipt_id, kind, amount, created_at, part_of)
    VALUES (OLD.wallet, OLD.receipt_id || '.' || NEW.parts, OLD.kind, OLD.amount - NEW.amount, OLD.created_at,
            OLD.receipt_id);
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'receipts never change, and are batched once' USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE TRIGGER batched_once BEFORE UPDATE ON billing.receipt FOR EACH ROW
  WHEN (OLD.batch_id IS NOT NULL
        OR (OLD.wallet, OLD.receipt_id, OLD.kind, OLD.amount, OLD.created_at, OLD.part_of, OLD.parts)
        IS DISTINCT FROM (NEW.wallet, NEW.receipt_id, NEW.kind, NEW.amount, NEW.created_at, NEW.part_of, NEW.parts))
  EXECUTE FUNCTION billing.keep_receipt();
REVOKE DELETE, TRUNCATE ON billing.receipt FROM svc_billing;

-- ── Payouts ───────────────────────────────────────────────────────────────────────────────────────────────────────

-- What of its earnings each provider could claim, in all, when a payout root was made of it.
CREATE TABLE billing.payout (
  payout_id     billing.word PRIMARY KEY,
  state         billing.chain_job_state NOT NULL DEFAULT 'signed',
  root          billing.word NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  tx_hash       billing.word,
  gas_cost      numeric,
  settled_at    timestamptz,
  settled_block bigint
);

CREATE TABLE billing.payout_earning (
  payout_id  billing.word NOT NULL REFERENCES billing.payout DEFERRABLE INITIALLY DEFERRED,
  position   integer NOT NULL CHECK (position >= 0),
  provider   text COLLATE "C" NOT NULL,
  cumulative bigint NOT NULL CHECK (cumulative > 0),
  PRIMARY KEY (payout_id, position),
  UNIQUE (payout_id, provider)
);
REVOKE UPDATE, DELETE, TRUNCATE ON billing.payout_earning FROM svc_billing;

-- Up to which of its dues a wallet has paid, as of the safe depth that its shares were released at.
CREATE TABLE billing.released_wallet (
  wallet  text COLLATE "C" PRIMARY KEY,
  -- wallet.settled_safe then, and the last line whose cumulative that reaches; 0 for none.
  settled bigint NOT NULL,
  seq     integer NOT NULL
);

-- The sum of a provider's shares of charges whose payers have paid: what may be paid out.
CREATE TABLE billing.provider_released (
  provider text COLLATE "C" PRIMARY KEY,
  released bigint NOT NULL CHECK (released >= 0)
);

-- Releases the shares of every receipt in a due that is wholly pulled at the safe depth, and takes back those of dues that
-- are no longer (after a reorganisation below it). Exactly once: what was released is known by line. Nothing that the
-- platform pays is released: late posts and what was served beyond a hold have no receipt. Looks at `most` wallets after
-- `beyond` whose pulled figure changed; returns the last of them, NULL when there was none.
CREATE FUNCTION billing.release_shares(beyond text, most integer) RETURNS text LANGUAGE plpgsql
SET plan_cache_mode = 'force_custom_plan'
AS $$
DECLARE
  reached text;
BEGIN
  -- One at a time; what the one before did is seen by the statement below.
  LOCK TABLE billing.released_wallet IN SHARE ROW EXCLUSIVE MODE;
  WITH moved AS MATERIALIZED (
    SELECT w.wallet, w.settled_safe AS settled, coalesce(r.seq, 0) AS former,
           coalesce((SELECT d.seq FROM billing.settlement_due d
                     WHERE d.wallet = w.wallet AND d.cumulative <= w.settled_safe ORDER BY d.seq DESC LIMIT 1), 0) AS seq
    FROM billing.wallet w LEFT JOIN billing.released_wallet r ON r.wallet = w.wallet
    WHERE w.wallet > beyond AND w.settled_safe <> coalesce(r.settled, 0)
    ORDER BY w.wallet LIMIT most
  ), noted AS (
    INSERT INTO billing.released_wallet AS r (wallet, settled, seq) SELECT m.wallet, m.settled, m.seq FROM moved m
    ON CONFLICT (wallet) DO UPDATE SET settled = excluded.settled, seq = excluded.seq
  ), shares AS (
    SELECT u.provider, sum(u.provider_share * sign(m.seq - m.former)::integer) AS amount
    FROM moved m
    JOIN billing.settlement_due d
      ON d.wallet = m.wallet AND d.seq > least(m.seq, m.former) AND d.seq <= greatest(m.seq, m.former)
    JOIN billing.receipt r ON r.batch_id = d.batch_id AND r.wallet = d.wallet AND r.kind = 'usage'
    JOIN billing.usage_record u ON u.wallet = r.wallet AND u.hold_id = r.receipt_id
    -- What was given back nobody paid for: a client and a provider in league could ask for that all day.
    WHERE NOT EXISTS (SELECT FROM billing.credit c
                      WHERE c.wallet = u.wallet AND c.kind = 'refund' AND c.credit_id = u.hold_id)
    GROUP BY u.provider HAVING sum(u.provider_share) > 0
  ), added AS (
    UPDATE billing.provider_released p SET released = p.released + s.amount FROM shares s WHERE p.provider = s.provider
    RETURNING p.provider
  ), first AS (
    INSERT INTO billing.provider_released (provider, released)
    SELECT s.provider, s.amount FROM shares s WHERE s.provider NOT IN (SELECT a.provider FROM added a)
  )
  SELECT max(m.wallet) INTO reached FROM moved m;
  RETURN reached;
END
$$;

-- What the chain shows that providers were paid, at the safe depth; the transfers `payout` and `unpayout` add up to it.
CREATE TABLE billing.provider_paid (
  provider  text COLLATE "C" PRIMARY KEY,
  paid_safe bigint NOT NULL CHECK (paid_safe >= 0)
);

-- The safe block that provider_paid is as of; one row.
CREATE TABLE billing.payout_position (
  only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  safe_hash billing.word NOT NULL
);

-- ── Transactions ──────────────────────────────────────────────────────────────────────────────────────────────────

-- Every transaction that was ever signed, stored before anybody else saw it. Several with one nonce raise its fee; of
-- those the chain takes one. Several nonces for one job: the chain took somebody else's transaction, or refused ours.
CREATE TABLE billing.chain_transaction (
  tx_hash                  billing.word PRIMARY KEY,
  -- The batch or the payout.
  job_id                   billing.word NOT NULL,
  signer                   text COLLATE "C" NOT NULL,
  nonce                    bigint NOT NULL CHECK (nonce >= 0),
  gas_limit                bigint NOT NULL,
  max_fee_per_gas          numeric NOT NULL,
  max_priority_fee_per_gas numeric NOT NULL,
  raw                      text NOT NULL,
  signed_at                timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The first time it was sent to a server; whether that took it is another matter.
  broadcast_at             timestamptz
);
CREATE INDEX chain_transaction_job ON billing.chain_transaction (job_id, signed_at);
CREATE INDEX chain_transaction_nonce ON billing.chain_transaction (signer, nonce);
REVOKE DELETE, TRUNCATE ON billing.chain_transaction FROM svc_billing;

-- Only who holds the lease signs for that address.
CREATE TABLE billing.signer_lease (
  signer      text COLLATE "C" PRIMARY KEY,
  holder      text NOT NULL,
  lease_until timestamptz NOT NULL
);

-- ── Pauses ────────────────────────────────────────────────────────────────────────────────────────────────────────

-- While one of them is not over, nothing is signed and nothing is sent. Rows stay: they are the audit trail.
CREATE TABLE billing.settlement_pause (
  pause_id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  reason        text NOT NULL,
  -- `reconciliation`, or the operator's word for themselves.
  actor         text NOT NULL,
  -- What differs, as reconciliation found it.
  differences   jsonb NOT NULL DEFAULT '[]',
  paused_at     timestamptz NOT NULL DEFAULT now(),
  resumed_at    timestamptz,
  resumed_by    text,
  resume_reason text,
  CHECK ((resumed_at IS NULL) = (resumed_by IS NULL) AND (resumed_at IS NULL) = (resume_reason IS NULL))
);
CREATE UNIQUE INDEX settlement_pause_standing ON billing.settlement_pause (actor) WHERE resumed_at IS NULL;
REVOKE DELETE, TRUNCATE ON billing.settlement_pause FROM svc_billing;

-- When each kind of reconciliation last ran to its end.
CREATE TABLE billing.reconciliation (
  kind        text PRIMARY KEY CHECK (kind IN ('incremental', 'full')),
  finished_at timestamptz NOT NULL,
  differences integer NOT NULL
);
