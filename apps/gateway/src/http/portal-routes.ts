/* What the HTTP layer itself goes by: it knows these paths before any controller has a say. */

export const PORTAL_PREFIX = '/portal';
export const PORTAL_API_PREFIX = '/portal/api/';
/** Where anybody may post, to sign in. */
export const SIGN_IN_ROUTES: ReadonlySet<string> = new Set([
  '/portal/api/session',
  '/portal/api/session/nonce',
]);
/** Chat completions, paid by a session. */
export const PLAYGROUND_ROUTE = '/portal/api/playground/chat/completions';
