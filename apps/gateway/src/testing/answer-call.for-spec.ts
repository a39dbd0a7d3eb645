import { internalError } from '@svc/errors';
import type { IncomingCall } from '@svc/messaging';

/**
 * Has a stand-in answer a call. Where it breaks whoever called is told, so that the spec that caused it fails: a rejection that nobody handles
 * would end the process, and every other spec in it.
 */
export async function answerCall(
  call: IncomingCall,
  answer: (call: IncomingCall) => Promise<void>,
): Promise<void> {
  try {
    await answer(call);
  } catch (error) {
    const { payload } = internalError(`A stand-in broke: ${String(error)}`);
    call.answer?.error(payload.code, JSON.stringify(payload));
  }
}
