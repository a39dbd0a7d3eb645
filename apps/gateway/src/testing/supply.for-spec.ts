import type { CertificationReport, OfferStatus, ProviderStatus, SupplyTerms } from '@svc/contracts';
import { ENVIRONMENTS } from '@svc/environment';
import { modelCardOf } from '../models/model-card';
import { demoModel } from './models.for-spec';

/** The key of a development chain's second account: it signs nothing but specs. */
export const providerKey = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
export const checksummed = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
export const provider = checksummed.toLowerCase();
export const signature = `0x${'1c'.repeat(65)}`;

export const terms: SupplyTerms = {
  domain: { name: 'svc supply', version: '1', chainId: 31_337, verifyingContract: `0x${'5f'.repeat(20)}` },
  maxPricePerMtok: '1000000000000',
  maxOffersPerProvider: 100,
  maxOfferSeconds: 31_536_000,
};

/** As it stands in the body of a request. */
export const submission = {
  provider: checksummed,
  model: 'svc/demo@1',
  bundle: 'bundle-1',
  profile: 'profile-1',
  endpoint: 'https://llm.example.com/v1',
  upstream_model: 'demo-8b',
  input_price_per_mtok: '100000',
  output_price_per_mtok: '400000',
  concurrency: 8,
  context_limit: 32_768,
  first_token_timeout_ms: 10_000,
  chunk_timeout_ms: 5_000,
  expires_at: 1_900_000_000,
  nonce: 7,
  signature,
};

export const offerStatus: OfferStatus = {
  offerId: 'ofr_1',
  provider,
  model: 'svc/demo@1',
  bundle: 'bundle-1',
  profile: 'profile-1',
  version: 2,
  liveVersion: 1,
  inputPricePerMtok: '100000',
  outputPricePerMtok: '400000',
  concurrency: 8,
  contextLimit: 32_768,
  expiresAt: '2030-03-17T17:46:40.000Z',
  state: 'suspended',
  reason: { code: 'drift', message: 'A canary failed twice.' },
  suspensionReason: 'asked by its owner',
  certificationId: 'crt_1',
  certification: {
    certificationId: 'crt_2',
    kind: 'full',
    status: 'refused',
    done: 3,
    total: 16,
    refusal: { probe: 'stop', message: 'It went on.' },
  },
  health: { errorRate: 0.25, invalidRate: 0, tokensPerSecond: 50, lastSeenAt: '2026-11-21T06:00:00.000Z' },
};

export const offerReply = {
  offer_id: 'ofr_1',
  provider,
  model: 'svc/demo@1',
  bundle: 'bundle-1',
  profile: 'profile-1',
  version: 2,
  live_version: 1,
  input_price_per_mtok: '100000',
  output_price_per_mtok: '400000',
  concurrency: 8,
  context_limit: 32_768,
  expires_at: '2030-03-17T17:46:40.000Z',
  state: 'suspended',
  reason: { code: 'drift', message: 'A canary failed twice.' },
  suspension_reason: 'asked by its owner',
  certification_id: 'crt_1',
  certification: {
    certification_id: 'crt_2',
    kind: 'full',
    status: 'refused',
    done: 3,
    total: 16,
    refusal: { probe: 'stop', message: 'It went on.' },
  },
  health: {
    error_rate: 0.25,
    invalid_rate: 0,
    tokens_per_second: 50,
    last_seen_at: '2026-11-21T06:00:00.000Z',
  },
};

export const providerStatus: ProviderStatus = {
  provider,
  name: '</script><img src=x>',
  registeredAt: '2026-11-21T06:00:00.000Z',
  nonce: 7,
  suspension: { at: '2026-11-21T07:00:00.000Z', reason: 'under review' },
  offers: [offerStatus],
};

export const providerReply = {
  provider,
  name: '</script><img src=x>',
  registered_at: '2026-11-21T06:00:00.000Z',
  nonce: 7,
  suspension: { at: '2026-11-21T07:00:00.000Z', reason: 'under review' },
  offers: [offerReply],
};

/** What no reply may hold, put where a catalogue that is careless might leave it. */
export const secrets = {
  endpoint: 'https://hidden.example.com/v1',
  credential: 'sk-hidden',
  contact: 'hidden@example.com',
};

export const report: CertificationReport = {
  id: 'crt_1',
  kind: 'full',
  status: 'passed',
  offerId: 'ofr_1',
  version: 1,
  provider,
  model: 'svc/demo@1',
  bundle: 'bundle-1',
  profile: 'profile-1',
  meteringVersion: 1,
  requestedAt: '2026-11-21T06:00:00.000Z',
  startedAt: '2026-11-21T06:00:01.000Z',
  finishedAt: '2026-11-21T06:01:00.000Z',
  validUntil: '2026-12-21T06:01:00.000Z',
  done: 1,
  total: 1,
  probes: [
    {
      name: 'plain_text',
      required: true,
      status: 'passed',
      startedAt: '2026-11-21T06:00:01.000Z',
      finishedAt: '2026-11-21T06:00:02.000Z',
      figures: { output_tokens: 5 },
      exchanges: [
        { request: '{"messages":[]}', reply: '<script>alert(1)</script>', firstTokenMs: 5, totalMs: 9 },
      ],
    },
  ],
  result: {
    capabilities: demoModel.capabilities,
    toolContract: demoModel.toolContract ?? null,
    concurrency: 8,
    firstTokenMs: 5,
    tokensPerSecond: 50,
  },
};

export const reportReply = {
  id: 'crt_1',
  kind: 'full',
  status: 'passed',
  offer_id: 'ofr_1',
  version: 1,
  provider,
  model: 'svc/demo@1',
  bundle: 'bundle-1',
  profile: 'profile-1',
  metering_version: 1,
  requested_at: '2026-11-21T06:00:00.000Z',
  started_at: '2026-11-21T06:00:01.000Z',
  finished_at: '2026-11-21T06:01:00.000Z',
  valid_until: '2026-12-21T06:01:00.000Z',
  done: 1,
  total: 1,
  probes: [
    {
      name: 'plain_text',
      required: true,
      status: 'passed',
      started_at: '2026-11-21T06:00:01.000Z',
      finished_at: '2026-11-21T06:00:02.000Z',
      figures: { output_tokens: 5 },
      exchanges: [
        { request: '{"messages":[]}', reply: '<script>alert(1)</script>', first_token_ms: 5, total_ms: 9 },
      ],
    },
  ],
  result: {
    capabilities: demoModel.capabilities,
    tool_contract: modelCardOf(demoModel, ENVIRONMENTS.testnet).svc.tool_contract,
    concurrency: 8,
    first_token_ms: 5,
    tokens_per_second: 50,
  },
};
