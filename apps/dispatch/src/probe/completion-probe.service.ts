import { Injectable } from '@nestjs/common';
import type { ProbeCallRequest, ProbeObservation } from '@svc/contracts';
import { AttemptFactory } from '../attempt/attempt.factory';
import type { AttemptOutcome, AttemptOutput } from '../attempt/attempt';
import type { Endpoint } from '../provider-client/endpoint';
import { EndpointOpener } from '../provider-client/endpoint-opener.service';
import { invalid, unavailable } from '../provider-client/provider-failure';
import { clientFields, requestBody } from '../provider-client/request-body';
import { bodyBytes } from '../validation/reply-size';
import { replyRulesOf } from '../validation/reply-rules';
import { notCalled, observationOf } from './observation';
import type { FinishedProbe } from './observation';
import { ProbeTrace } from './probe-trace';

const MAX_REPLY_BYTES = 4 * 1024 * 1024;
/** As JSON; NATS takes 8 MiB. */
export const MAX_OBSERVATION_BYTES = 6_000_000;

/** Nobody reads along. */
const NOBODY: AttemptOutput = { blocked: false, flushSoon: () => undefined };

/** Asks an endpoint for one completion as a run would, without a run: whoever passes here serves there. */
@Injectable()
export class CompletionProbe {
  constructor(
    private readonly endpoints: EndpointOpener,
    private readonly attempts: AttemptFactory,
  ) {}

  /** @param signal hangs up: nobody wants to know any more */
  async observe(request: ProbeCallRequest, signal: AbortSignal): Promise<ProbeObservation> {
    const { target, problem } = this.endpoints.open(request);
    if (!target) return notCalled(unavailable(problem));
    const { upstreamModel, maxTokens, stream, body } = request;
    const fields = clientFields(body);
    const trace = new ProbeTrace();
    const attempt = this.attempts.start({
      target,
      upstreamModel,
      fields,
      rules: replyRulesOf(body),
      maxTokens,
      streamed: stream,
      plainWillDo: !stream,
      patience: {
        firstTokenTimeoutMs: request.firstTokenTimeoutMs,
        chunkTimeoutMs: request.chunkTimeoutMs,
        totalTimeoutMs: request.timeoutMs,
      },
      output: NOBODY,
      trace,
      ...(request.until === 'first_token' && { onFirstToken: (begun) => begun.stop() }),
    });
    const stop = () => attempt.stop();
    signal.addEventListener('abort', stop);
    const ended = await attempt.outcome.finally(() => signal.removeEventListener('abort', stop));
    const outcome = reportable(ended);
    const { firstTokenMs, elapsedMs: totalMs } = attempt;
    // What a server says with its refusal is read for a moment longer.
    if (outcome.kind === 'failed') await trace.closed;
    return sendable({
      outcome,
      body: requestBody({ fields, upstreamModel, maxTokens, stream }),
      trace,
      firstTokenMs,
      totalMs,
      credential: credentialOf(target),
    });
  }
}

/** An observation goes in one message; a reply beyond that would not be handed on in one piece either. */
function reportable(outcome: AttemptOutcome): AttemptOutcome {
  if (outcome.kind !== 'served' || bodyBytes(outcome.reply) <= MAX_REPLY_BYTES) return outcome;
  return { kind: 'failed', failure: invalid('too_large') };
}

/** An observation that NATS takes, whatever taking out the credential has made of its texts. */
export function sendable(probe: FinishedProbe): ProbeObservation {
  const observation = observationOf(probe);
  if (Buffer.byteLength(JSON.stringify(observation)) <= MAX_OBSERVATION_BYTES) return observation;
  return observationOf({ ...probe, outcome: { kind: 'failed', failure: invalid('too_large') } });
}

function credentialOf({ authorization }: Endpoint): string | undefined {
  return authorization?.slice('Bearer '.length);
}
