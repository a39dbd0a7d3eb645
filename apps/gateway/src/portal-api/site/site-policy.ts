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
