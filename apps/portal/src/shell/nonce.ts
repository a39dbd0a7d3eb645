/** What the content security policy lets a style tag in by; the gateway puts a new one into each page it sends. */
const nonce = document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content') ?? '';

export function styleNonce(): string {
  return nonce;
}

// react-remove-scroll, behind dialogs, looks for it here.
Object.assign(globalThis, { __webpack_nonce__: nonce });
