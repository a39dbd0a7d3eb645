import { NatsError } from 'nats';

/** JetStream's word for a revision that is not the last one any more. */
const WRONG_LAST_SEQUENCE = 10071;

/** Whether a write against a key's revision failed because the key has changed since: nothing was written, and the bucket is there. */
export function isWrongRevision(error: unknown): boolean {
  return error instanceof NatsError && error.api_error?.err_code === WRONG_LAST_SEQUENCE;
}
