/** Below this, writing the body out again costs no more than finding it. */
const WORTH_FINDING_CHARS = 4 * 1024;
const KEY = ',"body":';

/**
 * The text of the client's body inside the message that carries it, so that a long conversation need not be written out
 * again for the provider.
 * @param text a JSON object, which `parsed` was read from
 * @returns undefined when it does not stand there as it is needed
 */
export function rawBodyOf(text: string, parsed: object): string | undefined {
  if (text.length < WORTH_FINDING_CHARS || Object.keys(parsed).at(-1) !== 'body') return undefined;
  // No string can hold this: a quote inside one has a backslash before it.
  const start = text.indexOf(KEY);
  const end = text.lastIndexOf('}');
  if (start === -1 || !isObjectWithoutEnd(text.slice(0, start))) return undefined;
  return text.slice(start + KEY.length, end).trim();
}

/** Whether what comes before the key closes with one brace: then the key is the outermost object's, and its last. */
function isObjectWithoutEnd(head: string): boolean {
  try {
    JSON.parse(`${head}}`);
    return true;
  } catch {
    return false;
  }
}
