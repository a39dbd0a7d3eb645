import type { RunAttempt } from '@svc/contracts';
import type { Endpoint } from '../provider-client/endpoint';
import type { Run } from '../run/run';
import { ChunkWriter } from '../validation/chunk-writer';
import type { AttemptRequest } from './attempt.factory';
import type { Offer } from './offer-directory.service';
import type { Patience } from './reply-clock';

/** An offer of the plan that can be called. */
export interface Candidate {
  planned: RunAttempt;
  offer: Offer;
  target: Endpoint;
}

/** Slower than this is no service: the whole of a reply has a time, however steadily it drips. */
const MAX_MS_PER_TOKEN = 1_000;
const MAX_TOTAL_MS = 3_600_000;

/**
 * What one offer of a run's plan is asked.
 * @param streamed ask for a stream; the client may want a plain reply all the same
 * @param writer of streams: writes the chunks for the client
 */
export function plannedAttempt(
  run: Run,
  { offer, target }: Candidate,
  streamed: boolean,
  writer: ChunkWriter | undefined,
): AttemptRequest {
  const { fields, rules, output, request } = run;
  const { maxTokens, stream } = request;
  return {
    target,
    upstreamModel: offer.upstreamModel,
    fields,
    rules,
    maxTokens,
    streamed,
    plainWillDo: !stream,
    patience: patienceOf(offer, maxTokens),
    output,
    sink: writer,
  };
}

/** Writes the chunks of a run's stream, should that offer serve. */
export function chunkWriter({ request, output }: Run, planned: RunAttempt): ChunkWriter {
  const { completionId, created, model, includeUsage } = request;
  const identity = { completionId, created, model, fingerprint: fingerprintOf(planned) };
  return new ChunkWriter(identity, includeUsage, output.write);
}

/** Says who served: `<bundle>:<profile>` (spec section 2.2). */
export function fingerprintOf({ bundleId, profileId }: RunAttempt): string {
  return `${bundleId}:${profileId}`;
}

function patienceOf({ firstTokenTimeoutMs, chunkTimeoutMs }: Offer, maxTokens: number): Patience {
  const writingMs = maxTokens * MAX_MS_PER_TOKEN;
  const totalTimeoutMs = Math.min(firstTokenTimeoutMs + chunkTimeoutMs + writingMs, MAX_TOTAL_MS);
  return { firstTokenTimeoutMs, chunkTimeoutMs, totalTimeoutMs };
}
