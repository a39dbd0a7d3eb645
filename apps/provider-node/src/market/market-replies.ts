/** What the market answers, as far as the command reads it (docs/openapi.json has all of it). Moments are UTC texts. */

export interface TermsReply {
  domain: { name: string; version: string; chainId: number; verifyingContract: string };
  limits: {
    /** Seconds from now. */
    max_offer_seconds: number;
    max_access_seconds: number;
  };
}

interface RefusalReply {
  probe: string;
  message: string;
}

export interface OfferReply {
  offer_id: string;
  model: string;
  bundle: string;
  profile: string;
  version: number;
  live_version: number | null;
  input_price_per_mtok: string;
  output_price_per_mtok: string;
  concurrency: number;
  context_limit: number;
  expires_at: string;
  state: 'certifying' | 'refused' | 'live' | 'suspended' | 'expired' | 'withdrawn';
  reason?: { code: string; message: string } | null;
  certification_id?: string | null;
  certification?: CertificationProgressReply | null;
  health: {
    error_rate?: number | null;
    invalid_rate?: number | null;
    first_token_ms?: number | null;
    tokens_per_second?: number | null;
    last_seen_at?: string | null;
  };
}

interface CertificationProgressReply {
  certification_id: string;
  kind: 'full' | 'canary';
  status: 'queued' | 'running' | 'passed' | 'refused' | 'abandoned';
  done: number;
  total: number;
  refusal?: RefusalReply | null;
}

export interface ProviderReply {
  provider: string;
  name: string;
  registered_at: string;
  nonce: number;
  suspension: { at: string; reason: string } | null;
  offers: OfferReply[];
}

export interface ProbeReply {
  name: string;
  required: boolean;
  status: 'pending' | 'running' | 'passed' | 'failed' | 'skipped';
  message?: string | null;
  started_at?: string | null;
  finished_at?: string | null;
}

export interface CertificationReply {
  id: string;
  status: CertificationProgressReply['status'];
  version: number;
  done: number;
  total: number;
  probes: ProbeReply[];
  result?: {
    capabilities: { tools: boolean; structuredOutputs: boolean; maxOutputTokens: number };
    tool_contract?: {
      tool_choice: string[];
      parallel_tool_calls: boolean;
      strict_schemas: boolean;
      max_argument_bytes: number;
    } | null;
    concurrency: number;
    first_token_ms: number;
    tokens_per_second: number;
  } | null;
  refusal?: RefusalReply | null;
}

/** Amounts are USDC with six decimals, but for `cumulative`, which is base units. */
export interface EarningsReply {
  lines: { time: string; model: string; requests: number; credited_usdc: string }[];
  totals: { requests: number; prompt_tokens: number; completion_tokens: number; credited_usdc: string };
  /** Of all times. */
  account: { credited_usdc: string; released_usdc: string; paid_out_usdc: string; payable_usdc: string };
  /** Of each charge from now on, basis points; older markets do not say. */
  share_bps?: number;
  /** What the contract's `claim` takes; null while nothing is payable, or published. */
  claim: { cumulative: string; proof: string[]; state: 'signed' | 'mined' | 'settled' } | null;
  next: string | null;
}
