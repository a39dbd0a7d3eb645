import { invalidRequest } from '@svc/errors';
import type { SvcError } from '@svc/errors';
import { createSiweMessage, parseSiweMessage } from 'viem/siwe';
import type { SiweMessage } from 'viem/siwe';

/** How far a visitor's clock may be from ours. */
const CLOCK_SKEW_MS = 2 * 60_000;
/** How old a message may be: a nonce lasts less. */
const MOST_AGE_MS = 10 * 60_000;

/** What a message of sign-in must say, to be one for this page at this time. */
interface SignInTerms {
  /** The page's, e.g. `https://market.example`. */
  readonly origin: string;
  readonly chainId: number;
  /** Unix milliseconds. */
  readonly nowMs: number;
}

interface SignIn {
  /** In lower case. */
  readonly wallet: string;
  readonly nonce: string;
}

/**
 * Reads a message of Sign-In with Ethereum (EIP-4361). Only the one way of writing it is taken: made anew from what was read of it, it is
 * the same text, so that nothing in it was read otherwise than the wallet showed it.
 * @throws SvcError invalid_request (`message`) that says what does not fit
 */
export function readSignInMessage(text: string, { origin, chainId, nowMs }: SignInTerms): SignIn {
  const message = readCanonical(text);
  const { host, protocol } = new URL(origin);
  const isForHere =
    message.domain === host &&
    (message.scheme === undefined || `${message.scheme}:` === protocol) &&
    originOf(message.uri) === origin;
  if (!isForHere) throw unfit(`it is for another site than ${origin}`);
  if (message.chainId !== chainId) throw unfit(`it is for another chain than ${chainId}`);
  const { issuedAt, expirationTime, notBefore } = message;
  if (!issuedAt || issuedAt.getTime() > nowMs + CLOCK_SKEW_MS) throw unfit('it was issued in the future');
  if (issuedAt.getTime() < nowMs - MOST_AGE_MS) throw unfit('it was issued too long ago');
  if (expirationTime && expirationTime.getTime() <= nowMs) throw unfit('it has expired');
  if (notBefore && notBefore.getTime() > nowMs + CLOCK_SKEW_MS) throw unfit('it is not valid yet');
  return { wallet: message.address.toLowerCase(), nonce: message.nonce };
}

function readCanonical(text: string): SiweMessage {
  const parsed = parseSiweMessage(text) as SiweMessage;
  let canonical: string | undefined;
  try {
    canonical = createSiweMessage(parsed);
  } catch {
    // A field is missing or is not what it should be.
  }
  if (canonical !== text)
    throw unfit('it is no message of Sign-In with Ethereum (EIP-4361) in its one exact form');
  return parsed;
}

function originOf(uri: string): string | undefined {
  return URL.canParse(uri) ? new URL(uri).origin : undefined;
}

function unfit(reason: string): SvcError {
  return invalidRequest(`The message does not fit: ${reason}.`, 'message');
}
