import type { SubmitOfferRequest } from '@svc/contracts';
import { bundleIdOf, profileIdOf } from '@svc/supply-messages';

export const PROVIDER = `0x${'a'.repeat(40)}`;

const build = { model: 'svc/tiny@1', weightsDigest: 'sha256:2', quantisation: 'q8', engine: 'vllm' };
const way = { hardwareClass: 'gpu', contextLimit: 4_096, speedTier: 'fast' };
export const ownBundle = { id: bundleIdOf(build), ...build };
export const ownProfile = { id: profileIdOf(way), ...way };

/** An offer of what `wholeRequest` defines; ends in an hour. */
export function submissionOf(changes: Partial<SubmitOfferRequest> = {}): SubmitOfferRequest {
  return {
    provider: PROVIDER,
    model: 'svc/tiny@1',
    bundle: 'tiny-q4',
    profile: 'cpu-8k',
    endpoint: 'https://models.example/v1',
    upstreamModel: 'tiny',
    inputPricePerMtok: '100000',
    outputPricePerMtok: '400000',
    concurrency: 8,
    contextLimit: 8_192,
    firstTokenTimeoutMs: 1_000,
    chunkTimeoutMs: 1_000,
    expiresAt: Math.floor(Date.now() / 1_000) + 3_600,
    nonce: 1,
    signature: '0x00',
    ...changes,
  };
}
