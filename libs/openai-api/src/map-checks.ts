import { isJsonObject, isText } from '@svc/validation';
import type { Problem } from '@svc/validation';

export const MAX_STOPS = 4;
/** Servers look for each at every token; what is held for a request counts none of it. */
export const MAX_STOP_LENGTH = 1_024;
const MAX_METADATA_PAIRS = 16;
const MAX_METADATA_KEY_LENGTH = 64;
const MAX_METADATA_VALUE_LENGTH = 512;
const MAX_BIASED_TOKENS = 1_024;
const LARGEST_BIAS = 100;

/** A string of bounded length that is not empty, or at most 4 of them. */
export function checkStop(value: unknown): Problem | undefined {
  const stops: unknown[] = Array.isArray(value) ? value : [value];
  if (stops.length > MAX_STOPS) return { path: '', message: `must hold at most ${MAX_STOPS} strings` };
  const at = stops.findIndex((stop) => !isText(stop, 1, MAX_STOP_LENGTH));
  if (at === -1) return undefined;
  const path = Array.isArray(value) ? `[${at}]` : '';
  return { path, message: `must be a string of 1 to ${MAX_STOP_LENGTH} characters` };
}

/** At most 16 pairs of short strings. */
export function checkMetadata(value: unknown): Problem | undefined {
  if (!isJsonObject(value)) return { path: '', message: 'must be an object' };
  if (Object.keys(value).length > MAX_METADATA_PAIRS) {
    return { path: '', message: `must hold at most ${MAX_METADATA_PAIRS} pairs` };
  }
  for (const [key, text] of Object.entries(value)) {
    if (!isText(key, 0, MAX_METADATA_KEY_LENGTH)) {
      return { path: '', message: `keys must have at most ${MAX_METADATA_KEY_LENGTH} characters` };
    }
    if (!isText(text, 0, MAX_METADATA_VALUE_LENGTH)) {
      return { path: key, message: `must be a string of at most ${MAX_METADATA_VALUE_LENGTH} characters` };
    }
  }
  return undefined;
}

/** A map from token ids to biases of −100 to 100. */
export function checkLogitBias(value: unknown): Problem | undefined {
  if (!isJsonObject(value)) return { path: '', message: 'must be an object' };
  if (Object.keys(value).length > MAX_BIASED_TOKENS) {
    return { path: '', message: `must name at most ${MAX_BIASED_TOKENS} tokens` };
  }
  for (const [token, bias] of Object.entries(value)) {
    if (!/^\d{1,10}$/.test(token)) return { path: '', message: 'keys must be token ids' };
    if (typeof bias !== 'number' || Math.abs(bias) > LARGEST_BIAS) {
      return { path: token, message: `must be a number from -${LARGEST_BIAS} to ${LARGEST_BIAS}` };
    }
  }
  return undefined;
}
