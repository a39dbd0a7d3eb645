import type { RunAttempt, StartRunRequest } from '@svc/contracts';
import type { Offer } from '../offers/offer-directory.service';
import type { Candidate } from '../offers/offer-entrance.service';
import type { Run } from '../live-run/run';
import { ChunkWriter } from '../validation/chunk-writer';
import type { EventSink } from '../validation/chunk-writer';
import type { AttemptRequest } from '../attempt/attempt.factory';
import type { Patience } from '../attempt/reply-clock';

/** Slower than this is no service: the whole of a reply has a time, however steadily it drips. */
const MAX_MS_PER_TOKEN = 1_000;
const MAX_TOTAL_MS = 3_600_000;

/**
 * What one offer of a run's plan is asked.
 * @param streamed ask for a stream; the client may want a plain reply all the same
 */
export function plannedAttempt(
  run: Run,
  { offer, target }: Candidate,
  streamed: boolean,
): Omit<AttemptRequest, 'output'> {
  const { maxTokens, stream } = run.request;
  return {
    target,
    upstreamModel: offer.upstreamModel,
    fields: run.fieldsFor(offer.certified.reasoningField),
    rules: { ...run.rules, limitTokens: limitTokensOf(offer, run.request) },
    wallet: run.request.hold.wallet,
    maxTokens,
    outputLimitField: offer.outputLimitField,
    streamed,
    plainWillDo: !stream,
    patience: patienceOf(offer, maxTokens),
  };
}

/** Writes the chunks of a run's stream, should that offer serve. */
export function chunkWriter({ request }: Run, planned: RunAttempt, write: EventSink): ChunkWriter {
  const { completionId, created, model, includeUsage } = request;
  const identity = { completionId, created, model, fingerprint: fingerprintOf(request, planned) };
  return new ChunkWriter(identity, includeUsage, write);
}

/** Says who served (spec section 2.2, `system_fingerprint`). */
export function fingerprintOf(
  { routed }: StartRunRequest,
  { model, mapping, bundleId, profileId }: RunAttempt,
): string {
  if (routed) return `cortex:${model}`;
  return mapping === undefined ? `${bundleId}:${profileId}` : `fallback:${mapping}`;
}

/** The prompt may be shorter than its estimate, hardly longer. A model that thinks may have written more than is seen. */
function limitTokensOf(
  { contextLimit, certified }: Offer,
  { maxTokens, inputEstimate }: StartRunRequest,
): number | undefined {
  return certified.reasoning ? undefined : Math.min(maxTokens, contextLimit - inputEstimate);
}

function patienceOf({ firstTokenTimeoutMs, chunkTimeoutMs }: Offer, maxTokens: number): Patience {
  const writingMs = maxTokens * MAX_MS_PER_TOKEN;
  const totalTimeoutMs = Math.min(firstTokenTimeoutMs + chunkTimeoutMs + writingMs, MAX_TOTAL_MS);
  return { firstTokenTimeoutMs, chunkTimeoutMs, totalTimeoutMs };
}
