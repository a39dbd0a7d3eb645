import { isUtcTime } from '@svc/contracts';
import { invalidRequest } from '@svc/errors';

/** What a part of a sort key must look like. */
interface CursorForm {
  test(part: string): boolean;
}

/**
 * Where a page ended: the sort key of its last line, as the next request brings it back. No secret and no promise: whatever a
 * caller makes of it only chooses where a page of their own selection begins.
 */
export function encodeCursor(key: readonly string[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/**
 * @param forms what each part of the key must look like
 * @returns undefined without a cursor
 * @throws SvcError invalid_request
 */
export function decodeCursor(cursor: string | undefined, forms: readonly CursorForm[]): string[] | undefined {
  if (cursor === undefined) return undefined;
  const key = parse(cursor);
  if (key?.length === forms.length && forms.every((form, part) => form.test(key[part] ?? ''))) return key;
  throw invalidRequest('cursor must be the `next` of the page before.', 'cursor');
}

function parse(cursor: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Forms of the parts that sort keys have. */
export const CURSOR_FORMS = {
  time: { test: isUtcTime },
  word: /^[A-Za-z0-9_@/.:-]{0,200}$/,
} as const;
