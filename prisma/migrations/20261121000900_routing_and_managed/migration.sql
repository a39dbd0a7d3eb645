-- What answers beside providers' offers, by the operators' word alone: models that pick among others, and vendors that are asked when no
-- provider can. Prices in base units (10^-6 USDC) per million tokens. Rows are redefined, never deleted: what was, the audit trail says.

CREATE TABLE catalog.routing_models (
  id                        text PRIMARY KEY,
  owned_by                  text NOT NULL,
  -- Models, each once; those are never deleted.
  candidates                text[] NOT NULL CHECK (cardinality(candidates) > 0),
  max_input_price_per_mtok  bigint NOT NULL CHECK (max_input_price_per_mtok BETWEEN 0 AND 1000000000000),
  max_output_price_per_mtok bigint NOT NULL CHECK (max_output_price_per_mtok BETWEEN 0 AND 1000000000000),
  created_at                timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE catalog.managed_vendors (
  -- From our model to the vendor's: replies and receipts keep it, so it is that model's for good.
  mapping                text PRIMARY KEY,
  model_id               text NOT NULL REFERENCES catalog.models (id),
  -- How often it was defined.
  version                integer NOT NULL DEFAULT 1 CHECK (version > 0),
  endpoint               text NOT NULL,
  upstream_model         text NOT NULL,
  -- Sealed: neither this database nor who reads it has the key.
  credential             text,
  payee                  text NOT NULL CHECK (payee ~ '^0x[0-9a-f]{40}$'),
  input_price_per_mtok   bigint NOT NULL CHECK (input_price_per_mtok BETWEEN 0 AND 1000000000000),
  output_price_per_mtok  bigint NOT NULL CHECK (output_price_per_mtok BETWEEN 0 AND 1000000000000),
  context_limit          integer NOT NULL CHECK (context_limit > 0),
  max_output_tokens      integer NOT NULL CHECK (max_output_tokens > 0),
  tools                  boolean NOT NULL,
  structured_outputs     boolean NOT NULL,
  concurrency            integer NOT NULL CHECK (concurrency > 0),
  first_token_timeout_ms integer NOT NULL CHECK (first_token_timeout_ms > 0),
  chunk_timeout_ms       integer NOT NULL CHECK (chunk_timeout_ms > 0),
  retired                boolean NOT NULL DEFAULT false,
  created_at             timestamptz NOT NULL DEFAULT now(),
  CHECK (input_price_per_mtok > 0 OR output_price_per_mtok > 0)
);
CREATE INDEX managed_vendors_model_id_idx ON catalog.managed_vendors (model_id);
