import { useState } from 'react';

interface Answer {
  error: unknown;
  data: unknown;
  /** Whether `data` are of what was asked before. */
  isPlaceholderData?: boolean;
}

/**
 * Why there is nothing to show, for as long as there is not: a query forgets its error while it asks again, and what says so would come and
 * go, for eyes and ears.
 */
export function useStandingError({ error, data, isPlaceholderData = false }: Answer): unknown {
  const [standing, setStanding] = useState<unknown>();
  const isAnswered = data !== undefined && !isPlaceholderData;
  const next = isAnswered ? undefined : (error ?? standing);
  if (next !== standing) setStanding(next);
  return next;
}
