import { conflict, invalidRequest, notFound } from '@svc/errors';

const FORBIDDEN = 403;

/** What is known of who acts. */
export interface ActingProvider {
  /** The highest nonce used. */
  nonce: bigint;
  suspensionReason: string | null;
}

/** @throws SvcError invalid_request (404) */
export function requireRegistered<T>(provider: T | null | undefined, wallet: string): T {
  if (provider) return provider;
  throw notFound(
    `No provider ${wallet} is registered here; check the address, or register it first.`,
    'provider',
  );
}

/** How far a nonce may be above the time: a clock may be wrong by as much. One far above it would leave its provider none to act with. */
const MOST_NONCE_AHEAD_MS = 24 * 60 * 60 * 1_000;

/**
 * Whether a provider may act now, and by this message: it is not suspended, and has used no nonce as high as this.
 * @throws SvcError invalid_request (403 `provider`, 400 or 409 `nonce`)
 */
export function requireActing(provider: ActingProvider, nonce: number): void {
  if (provider.suspensionReason !== null) {
    throw invalidRequest(
      `An operator has suspended the provider, for this reason: "${provider.suspensionReason}".`,
      'provider',
      FORBIDDEN,
    );
  }
  requireNonce(provider, nonce);
}

/**
 * Whether the message is one that was not used, by a nonce above the last and not above the clock in milliseconds by more than a day.
 * @throws SvcError invalid_request (400 or 409 `nonce`)
 */
export function requireNonce(provider: Pick<ActingProvider, 'nonce'>, nonce: number): void {
  const nowMs = Date.now();
  if (nonce > nowMs + MOST_NONCE_AHEAD_MS) {
    throw invalidRequest(
      `The nonce ${nonce} is more than a day above the time in milliseconds (${nowMs} here), and none could follow it for long. ` +
        'Use that time, or the last nonce plus one.',
      'nonce',
    );
  }
  if (BigInt(nonce) > provider.nonce) return;
  throw conflict(
    `The nonce ${nonce} is not above ${provider.nonce}, the last one that the provider used; sign with a higher one.`,
    'nonce',
  );
}
