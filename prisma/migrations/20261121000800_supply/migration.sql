-- Supply: providers say themselves what they sell, by signed messages; an offer is live once it was certified, and while nothing
-- speaks against it. What was signed, certified and done is history: versions, reports and the audit trail are only ever added to.

-- Capabilities and contract of a model are what its offers are certified for; operators say the most there may be.
ALTER TABLE catalog.models
  DROP COLUMN tool_contract,
  -- The most that an offer may ask, base units per million tokens; null leaves it to the marketplace's own limit.
  ADD COLUMN max_input_price_per_mtok  bigint CHECK (max_input_price_per_mtok >= 0),
  ADD COLUMN max_output_price_per_mtok bigint CHECK (max_output_price_per_mtok >= 0);

ALTER TABLE catalog.providers
  ADD COLUMN contact           text NOT NULL DEFAULT '',
  -- The highest that an act of the provider was signed with: none below it, and it no second time.
  ADD COLUMN nonce             bigint NOT NULL DEFAULT 0 CHECK (nonce >= 0),
  ADD COLUMN suspended_at      timestamptz,
  ADD COLUMN suspension_reason text,
  ADD CHECK ((suspended_at IS NULL) = (suspension_reason IS NULL));

-- Offers of before were the operator's word, signed by nobody: they leave the market with this migration.
DROP TABLE catalog.offers;

-- A provider sells a bundle under a profile; at what terms, its versions say.
CREATE TABLE catalog.offers (
  id                 text PRIMARY KEY,
  provider_wallet    text NOT NULL REFERENCES catalog.providers (wallet),
  bundle_id          text NOT NULL REFERENCES catalog.bundles (id),
  profile_id         text NOT NULL REFERENCES catalog.profiles (id),
  -- The newest version, and the newest that is certified: the one that serves.
  version            integer NOT NULL CHECK (version > 0),
  live_version       integer CHECK (live_version <= version),
  -- What `live_version` is certified by, and until when.
  certification_id   text,
  certified_until    timestamptz,
  withdrawn_at       timestamptz,
  -- An operator's word, and what watching found; either takes the offer off the market.
  suspended_at       timestamptz,
  suspension_reason  text,
  watch_code         text,
  watch_reason       text,
  watch_since        timestamptz,
  -- When watching looks again at an offer it took off the market, and how often it did in vain.
  retry_at           timestamptz,
  retries            integer NOT NULL DEFAULT 0,
  -- When the endpoint last answered, and how many heartbeats it has missed since.
  last_seen_at       timestamptz,
  missed_heartbeats  integer NOT NULL DEFAULT 0,
  next_heartbeat_at  timestamptz NOT NULL DEFAULT now(),
  next_canary_at     timestamptz,
  -- Canaries in a row that found the endpoint too busy to answer, and when the first of them did.
  busy_canaries      integer NOT NULL DEFAULT 0,
  busy_since         timestamptz,
  created_at         timestamptz NOT NULL DEFAULT now(),
  updated_at         timestamptz NOT NULL DEFAULT now(),
  UNIQUE (provider_wallet, bundle_id, profile_id),
  CHECK ((live_version IS NULL) = (certification_id IS NULL)),
  CHECK ((live_version IS NULL) = (certified_until IS NULL)),
  CHECK ((suspended_at IS NULL) = (suspension_reason IS NULL)),
  CHECK ((watch_code IS NULL) = (watch_reason IS NULL) AND (watch_code IS NULL) = (watch_since IS NULL))
);
CREATE INDEX offers_bundle_id_idx ON catalog.offers (bundle_id);
CREATE INDEX offers_profile_id_idx ON catalog.offers (profile_id);
CREATE INDEX offers_next_heartbeat_at_idx ON catalog.offers (next_heartbeat_at) WHERE withdrawn_at IS NULL AND live_version IS NOT NULL;
CREATE INDEX offers_next_canary_at_idx ON catalog.offers (next_canary_at) WHERE withdrawn_at IS NULL AND live_version IS NOT NULL;

-- What was signed. Prices in base units (10^-6 USDC) per million tokens.
CREATE TABLE catalog.offer_versions (
  offer_id               text NOT NULL REFERENCES catalog.offers (id) DEFERRABLE INITIALLY DEFERRED,
  version                integer NOT NULL CHECK (version > 0),
  provider_wallet        text NOT NULL REFERENCES catalog.providers (wallet),
  endpoint               text NOT NULL,
  upstream_model         text NOT NULL,
  input_price_per_mtok   bigint NOT NULL CHECK (input_price_per_mtok BETWEEN 0 AND 1000000000000),
  output_price_per_mtok  bigint NOT NULL CHECK (output_price_per_mtok BETWEEN 0 AND 1000000000000),
  concurrency            integer NOT NULL CHECK (concurrency > 0),
  context_limit          integer NOT NULL CHECK (context_limit > 0),
  first_token_timeout_ms integer NOT NULL CHECK (first_token_timeout_ms > 0),
  chunk_timeout_ms       integer NOT NULL CHECK (chunk_timeout_ms > 0),
  expires_at             timestamptz NOT NULL,
  -- Sealed: neither this database nor who reads it has the key.
  credential             text,
  nonce                  bigint NOT NULL,
  digest                 text NOT NULL CHECK (digest ~ '^0x[0-9a-f]{64}$'),
  signature              text NOT NULL,
  created_at             timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (offer_id, version),
  UNIQUE (provider_wallet, nonce),
  CHECK (input_price_per_mtok > 0 OR output_price_per_mtok > 0)
);
ALTER TABLE catalog.offers
  ADD FOREIGN KEY (id, version) REFERENCES catalog.offer_versions (offer_id, version) DEFERRABLE INITIALLY DEFERRED,
  ADD FOREIGN KEY (id, live_version) REFERENCES catalog.offer_versions (offer_id, version) DEFERRABLE INITIALLY DEFERRED;

-- One run of probes against one version of an offer.
CREATE TABLE catalog.certifications (
  id               text PRIMARY KEY,
  offer_id         text NOT NULL REFERENCES catalog.offers (id),
  version          integer NOT NULL,
  kind             text NOT NULL CHECK (kind IN ('full', 'canary')),
  status           text NOT NULL CHECK (status IN ('queued', 'running', 'passed', 'refused', 'abandoned')),
  metering_version integer NOT NULL,
  -- Whose act it follows: a provider's own are counted.
  ordered_by       text NOT NULL DEFAULT 'provider' CHECK (ordered_by IN ('provider', 'house')),
  -- An operator or the clock wants one of this offer: a new version of the provider's does not do away with it.
  owed             boolean NOT NULL DEFAULT false,
  -- What its questions are drawn from. Nobody is shown it.
  seed             text NOT NULL DEFAULT gen_random_uuid()::text,
  -- How long it has been run for so far, and how often it found the endpoint too busy with clients.
  worked_ms        integer NOT NULL DEFAULT 0 CHECK (worked_ms >= 0),
  busy_times       integer NOT NULL DEFAULT 0,
  requested_at     timestamptz NOT NULL DEFAULT now(),
  started_at       timestamptz,
  finished_at      timestamptz,
  valid_until      timestamptz,
  -- Who runs it, and until when others leave it alone.
  runner           text,
  leased_until     timestamptz,
  -- `CertifiedScope` of a full one that passed; why it was refused.
  result           jsonb,
  refusal_probe    text,
  refusal_message  text,
  FOREIGN KEY (offer_id, version) REFERENCES catalog.offer_versions (offer_id, version) DEFERRABLE INITIALLY DEFERRED,
  CHECK ((status IN ('queued', 'running')) = (finished_at IS NULL)),
  CHECK ((status = 'refused') = (refusal_probe IS NOT NULL AND refusal_message IS NOT NULL))
);
CREATE INDEX certifications_open_idx ON catalog.certifications (requested_at) WHERE status IN ('queued', 'running');
CREATE INDEX certifications_offer_idx ON catalog.certifications (offer_id, requested_at DESC);
-- One of each kind at a time.
CREATE UNIQUE INDEX certifications_one_open_idx ON catalog.certifications (offer_id, kind) WHERE status IN ('queued', 'running');

-- What each probe did, one row a probe from the beginning on, so that a run can be taken up where it stopped.
CREATE TABLE catalog.certification_probes (
  certification_id text NOT NULL REFERENCES catalog.certifications (id),
  position         integer NOT NULL,
  name             text NOT NULL,
  required         boolean NOT NULL,
  status           text NOT NULL CHECK (status IN ('pending', 'running', 'passed', 'failed', 'skipped')),
  message          text,
  started_at       timestamptz,
  finished_at      timestamptz,
  -- What was measured, by name: the result is made of it.
  figures          jsonb NOT NULL DEFAULT '{}',
  exchanges        jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (certification_id, position)
);

-- Who did what to whom, and why. Nothing here is ever changed.
CREATE TABLE catalog.audit (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor   text NOT NULL,
  action  text NOT NULL,
  subject text NOT NULL,
  reason  text
);
CREATE INDEX audit_subject_idx ON catalog.audit (subject, id DESC);

CREATE FUNCTION catalog.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is only ever added to', TG_TABLE_NAME;
END
$$;
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON catalog.audit
  FOR EACH STATEMENT EXECUTE FUNCTION catalog.refuse_change();
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON catalog.offer_versions
  FOR EACH STATEMENT EXECUTE FUNCTION catalog.refuse_change();

-- A provider's nonce never falls: an act that was done cannot be done again.
CREATE FUNCTION catalog.refuse_fall() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the nonce of % cannot fall', OLD.wallet;
END
$$;
CREATE TRIGGER only_grows BEFORE UPDATE ON catalog.providers FOR EACH ROW
  WHEN (NEW.nonce < OLD.nonce) EXECUTE FUNCTION catalog.refuse_fall();

GRANT EXECUTE ON FUNCTION catalog.refuse_change(), catalog.refuse_fall() TO svc_catalog;
