import { headers } from 'nats';
import type { MsgHdrs } from 'nats';

/** What travels beside every payload. */
export interface CallMetadata {
  requestId?: string;
  /** Unix milliseconds, as the called service reads them, after which nobody waits for the answer. */
  deadlineMs?: number;
  /** W3C trace context (https://www.w3.org/TR/trace-context/). */
  traceparent?: string;
}

const REQUEST_ID = 'Svc-Request-Id';
const DEADLINE = 'Svc-Deadline';
const TRACEPARENT = 'traceparent';

export function toHeaders(metadata: CallMetadata): MsgHdrs {
  const result = headers();
  if (metadata.requestId !== undefined) result.set(REQUEST_ID, metadata.requestId);
  if (metadata.deadlineMs !== undefined) result.set(DEADLINE, String(metadata.deadlineMs));
  if (metadata.traceparent !== undefined) result.set(TRACEPARENT, metadata.traceparent);
  return result;
}

export function fromHeaders(given: MsgHdrs | undefined): CallMetadata {
  if (!given) return {};
  const deadline = Number(given.get(DEADLINE));
  return {
    requestId: given.get(REQUEST_ID) || undefined,
    deadlineMs: Number.isFinite(deadline) && deadline > 0 ? deadline : undefined,
    traceparent: given.get(TRACEPARENT) || undefined,
  };
}
