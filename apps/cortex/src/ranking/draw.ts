const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** Of a second hash beside it. */
const OTHER_OFFSET = 0x9747b28c;
const OTHER_PRIME = 0x5bd1e995;
/** How many of its bits are dropped: what is left of both makes a whole number. */
const DROPPED_BITS = 11;
const GOLDEN = 0x9e3779b1;
const TWO_32 = 2 ** 32;

/**
 * 53 bits that follow from a text (FNV-1a over its code units, twice): no secret, the same on every machine. With 32 a provider could
 * look for an id that draws as a competitor's does, and come before it every time by asking a base unit less.
 */
export function hashOf(text: string): number {
  let [low, high] = [FNV_OFFSET, OTHER_OFFSET];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, FNV_PRIME);
    high = Math.imul(high ^ unit, OTHER_PRIME);
    high ^= high >>> 15;
  }
  return (high >>> DROPPED_BITS) * TWO_32 + (low >>> 0);
}

/**
 * The chance that a request gives an offer: evenly spread over all requests and over all offers, and always the same for the two.
 * @param seed of the request, @param hash of the offer: `hashOf` their ids
 * @returns above 0 and below 1
 */
export function drawOf(seed: number, hash: number): number {
  let mixed = seed ^ Math.imul(hash, GOLDEN);
  // The finalizer of MurmurHash3: each bit of the input changes half of the output's.
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b) ^ Math.imul(hash / TWO_32, GOLDEN);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (((mixed ^ (mixed >>> 16)) >>> 0) + 0.5) / TWO_32;
}
