import { createHash } from 'node:crypto';

/** A strong entity tag: equal for equal bytes (RFC 9110, section 8.8.3). */
export function entityTagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}

/**
 * Whether the client has the representation already (RFC 9110, section 13.1.2): `*`, or a list of tags with this one among them, compared
 * weakly. Our tags hold no quotes, so a tag with its quotes is found as it stands.
 */
export function isAmongTags(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch !== undefined && (ifNoneMatch.trim() === '*' || ifNoneMatch.includes(etag));
}
