import { useRef, useState } from 'react';
import { ApiError } from '../api/api-error';
import { wordsOf } from '../api/error-words';

interface Submission {
  busy: boolean;
  /** What was refused at one of these fields. */
  problemOf: (field: string) => string | undefined;
  /** What was refused elsewhere. */
  problem: string | undefined;
  /** Sends once at a time; a second click meanwhile does nothing. */
  submit: (send: () => Promise<void>) => Promise<void>;
}

/** The page asks to sign in again above the form, and says this below once somebody has. */
const ENDED = 'Your session had ended, and nothing was sent. Sign in again, then send it.';

/** A form that is being sent. Nothing of a reply is kept: it may hold a key's value. */
export function useSubmit(fields: readonly string[]): Submission {
  const [busy, setBusy] = useState(false);
  // Of this moment: two clicks may come before the first is shown.
  const isSending = useRef(false);
  const [error, setError] = useState<unknown>();
  const param = error instanceof ApiError && error.status < 500 ? error.param : undefined;
  const field = param !== undefined && fields.includes(param) ? param : undefined;
  return {
    busy,
    problemOf: (name) => (name === field ? wordsOf(error) : undefined),
    problem: error === undefined || field !== undefined ? undefined : isEnded(error) ? ENDED : wordsOf(error),
    submit: async (send) => {
      if (isSending.current) return;
      isSending.current = true;
      setBusy(true);
      setError(undefined);
      try {
        await send();
      } catch (thrown) {
        setError(thrown);
      } finally {
        isSending.current = false;
        setBusy(false);
      }
    },
  };
}

function isEnded(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}
