import { waitAsUsualFor, waitLongFor } from '@svc/testing';

/** Whoever is silent is given up as in earnest; who answers is waited for, however slow the machine is. */
export function awaitAnswers(answer: unknown, calls: Parameters<typeof waitLongFor>[0]): void {
  if (answer === 'silent') waitAsUsualFor(calls);
  else waitLongFor(calls);
}
