import { ApiError } from './api-error';

/** What to tell somebody of a failure, whatever was thrown. Never a stack, never another system's inner words. */
export function wordsOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  // Errors of the page's own (wallets) are written for people and say so by their name.
  if (error instanceof Error && error.name === 'WalletError') return error.message;
  if (isStaleCode(error))
    return 'A newer version of this page was published, or the connection was lost. Reload to get it.';
  return 'Something went wrong on this page. Try again; reload the page if it stays.';
}

/** Scripts or styles of a former build are gone from the server, or could not be fetched: as each browser says it, and Vite. */
export function isStaleCode(error: unknown): boolean {
  return (
    error instanceof Error && /dynamically imported module|module script|preload CSS/i.test(error.message)
  );
}
