import type { ErrorPayload } from '@svc/errors';
import { errorHeaders } from '@svc/messaging';
import type { Msg } from 'nats';

/** Answers a call with an error, as services do: for what stands in for one. */
export function refuseCall(message: Msg, payload: ErrorPayload): void {
  message.respond(JSON.stringify(payload), { headers: errorHeaders(payload.code) });
}
