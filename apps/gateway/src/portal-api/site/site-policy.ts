import type { ServerResponse } from 'node:http';

/** Of what is no page: it can do nothing, and nobody may frame it. */
const NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const PERMISSIONS = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb']
  .map((feature) => `${feature}=()`)
  .join(', ');

/** Headers of everything below `/portal`; the page has a policy of its own. */
export function protectPortal(raw: ServerResponse): void {
  raw.setHeader('content-security-policy', NOTHING);
  raw.setHeader('x-frame-options', 'DENY');
  raw.setHeader('referrer-policy', 'same-origin');
  raw.setHeader('permissions-policy', PERMISSIONS);
  raw.setHeader('cross-origin-opener-policy', 'same-origin');
  raw.setHeader('cross-origin-resource-policy', 'same-origin');
}

/**
 * What the page may do: run the scripts that it came with, ask the gateway and the chain, and nothing else.
 * @param nonce of this one reply: the page's library writes style elements, which carry it
 * @param chainRpcUrl where browsers may ask the chain
 */
export function pagePolicy(nonce: string, chainRpcUrl: string | undefined): string {
  const chain = chainRpcUrl === undefined ? '' : ` ${new URL(chainRpcUrl).origin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    // Wallets show their pictures as data: URLs (EIP-6963).
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'self'",
    `connect-src 'self'${chain}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}
