import { ApiError } from './api-error';

/** What to tell somebody of a failure, whatever was thrown. Never a stack, never another system's inner words. */
export function wordsOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  // Errors of the page's own (wallets) are written for people and say so by their name.
  if (error instanceof Error && error.name === 'WalletError') return error.message;
  return 'Something went wrong on this page. Try again; reload the page if it stays.';
}
