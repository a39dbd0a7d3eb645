import { isDeeperThan } from './json-depth';
import { jsonPartsOf } from './json-parts';

/** Far more levels than any server's has. Whoever walks through a value of any depth runs out of stack. */
const MAX_DEPTH = 64;
/** Far more as well: Gemini's has three. Each name of its own is dear to whoever walks through them. */
const MAX_PARTS = 1_024;

/**
 * What a server put beside a tool call for itself (`extra_content`). Replies hand it out, and requests bring it back: what one would refuse
 * the other must not have given.
 * @param value what `JSON.parse` returns
 * @returns what is wrong with it, after its name
 */
export function extraContentProblem(value: object): string | undefined {
  if (isDeeperThan(value, MAX_DEPTH)) return `must not nest deeper than ${MAX_DEPTH} levels`;
  if (jsonPartsOf(JSON.stringify(value), { parts: MAX_PARTS }) <= MAX_PARTS) return undefined;
  return `must not hold more than ${MAX_PARTS} JSON values and names of fields`;
}
