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
