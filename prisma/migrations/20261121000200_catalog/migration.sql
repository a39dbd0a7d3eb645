-- What can be sold and by whom: model → bundle → profile → offer.
-- Ids are names that other services and receipts keep, so rows are switched off rather than deleted.

CREATE TABLE catalog.models (
  id                 text PRIMARY KEY,
  owned_by           text NOT NULL,
  context_limit      integer NOT NULL CHECK (context_limit > 0),
  workload           text NOT NULL CHECK (workload IN ('chat', 'embedding')),
  tools              boolean NOT NULL,
  structured_outputs boolean NOT NULL,
  reasoning          boolean NOT NULL,
  streaming          boolean NOT NULL,
  max_output_tokens  integer NOT NULL CHECK (max_output_tokens > 0),
  tool_contract      jsonb,
  created_at         timestamptz NOT NULL DEFAULT now()
);

-- One concrete build of a model.
CREATE TABLE catalog.bundles (
  id             text PRIMARY KEY,
  model_id       text NOT NULL REFERENCES catalog.models (id),
  weights_digest text NOT NULL,
  quantisation   text NOT NULL,
  engine         text NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX bundles_model_id_idx ON catalog.bundles (model_id);

-- How a bundle is run.
CREATE TABLE catalog.profiles (
  id             text PRIMARY KEY,
  hardware_class text NOT NULL,
  context_limit  integer NOT NULL CHECK (context_limit > 0),
  speed_tier     text NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now()
);

-- A provider is its wallet.
CREATE TABLE catalog.providers (
  wallet     text PRIMARY KEY CHECK (wallet ~ '^0x[0-9a-f]{40}$'),
  name       text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- A provider sells a bundle under a profile. Prices in base units (10^-6 USDC) per million tokens.
CREATE TABLE catalog.offers (
  id                     text PRIMARY KEY,
  provider_wallet        text NOT NULL REFERENCES catalog.providers (wallet),
  bundle_id              text NOT NULL REFERENCES catalog.bundles (id),
  profile_id             text NOT NULL REFERENCES catalog.profiles (id),
  endpoint               text NOT NULL,
  upstream_model         text NOT NULL,
  input_price_per_mtok   bigint NOT NULL CHECK (input_price_per_mtok BETWEEN 0 AND 1000000000000),
  output_price_per_mtok  bigint NOT NULL CHECK (output_price_per_mtok BETWEEN 0 AND 1000000000000),
  concurrency            integer NOT NULL CHECK (concurrency > 0),
  first_token_timeout_ms integer NOT NULL CHECK (first_token_timeout_ms > 0),
  chunk_timeout_ms       integer NOT NULL CHECK (chunk_timeout_ms > 0),
  active                 boolean NOT NULL,
  created_at             timestamptz NOT NULL DEFAULT now(),
  updated_at             timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX offers_provider_wallet_idx ON catalog.offers (provider_wallet);
CREATE INDEX offers_bundle_id_idx ON catalog.offers (bundle_id);
CREATE INDEX offers_profile_id_idx ON catalog.offers (profile_id);
