import type { ProbeObservation, ProbeReply } from '@svc/contracts';
import type { AttemptOutcome } from '../attempt/attempt';
import type { ProviderFailure } from '../provider-client/provider-failure';
import { seenBytes } from '../validation/whole-reply';
import type { WholeReply } from '../validation/whole-reply';
import type { ProbeTrace } from './probe-trace';
import { redacted, safeText } from './safe-text';

/** One probe that is over. */
export interface FinishedProbe {
  outcome: AttemptOutcome;
  /** The request's body. */
  body: string;
  trace: ProbeTrace;
  firstTokenMs: number | undefined;
  totalMs: number;
  /** The endpoint's, which may echo it. */
  credential: string | undefined;
}

/** What the catalogue is told of a probe. */
export function observationOf(probe: FinishedProbe): ProbeObservation {
  const { body, trace, firstTokenMs, totalMs, credential } = probe;
  const { status, receivedBytes, beginning } = trace;
  return {
    ...resultOf(probe),
    ...(status !== undefined && { status }),
    sent: safeText(body, credential),
    received: safeText(beginning, credential),
    receivedBytes,
    ...(firstTokenMs !== undefined && { firstTokenMs: inMs(firstTokenMs) }),
    totalMs: inMs(totalMs),
  };
}

/** An endpoint that could not even be called. */
export function notCalled(failure: ProviderFailure): ProbeObservation {
  return {
    outcome: 'failed',
    failure: failureOf(failure),
    sent: '',
    received: '',
    receivedBytes: 0,
    totalMs: 0,
  };
}

function resultOf({
  outcome,
  credential,
}: FinishedProbe): Pick<ProbeObservation, 'outcome' | 'reply' | 'failure'> {
  switch (outcome.kind) {
    case 'served':
      return { outcome: 'replied', reply: replyOf(outcome.reply, credential) };
    case 'failed':
      return { outcome: 'failed', failure: failureOf(outcome.failure) };
    case 'stopped':
      return { outcome: 'left' };
  }
}

function replyOf(reply: WholeReply, credential: string | undefined): ProbeReply {
  const clean = (text: string) => redacted(text, credential);
  const { content, reasoning, reasoningField, finishReason, usage } = reply;
  return {
    content: content === null ? null : clean(content),
    ...(reasoning !== undefined && { reasoning: clean(reasoning) }),
    ...(reasoningField && { reasoningField }),
    toolCalls: reply.toolCalls.map(({ providerId, name, arguments: args, extraContent }) => ({
      id: clean(providerId),
      name: clean(name),
      arguments: clean(args),
      ...(extraContent && { extraContent }),
    })),
    finishReason,
    ...(usage && { usage }),
    outputBytes: seenBytes(reply),
  };
}

function failureOf({
  kind,
  reason,
  retryAfterSeconds,
}: ProviderFailure): NonNullable<ProbeObservation['failure']> {
  return {
    kind: kind === 'invalid' ? 'invalid' : 'unavailable',
    reason,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

function inMs(ms: number): number {
  return Math.round(ms * 10) / 10;
}
