const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const GOLDEN = 0x9e3779b1;
const TWO_32 = 2 ** 32;

/** 32 bits that follow from a text (FNV-1a over its code units): no secret, the same on every machine. */
export function hashOf(text: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  }
  return hash >>> 0;
}

/**
 * The chance that a request gives an offer: evenly spread over all requests and over all offers, and always the same for the two.
 * @param seed of the request, @param hash of the offer: `hashOf` their ids
 * @returns above 0 and below 1
 */
export function drawOf(seed: number, hash: number): number {
  let mixed = seed ^ Math.imul(hash, GOLDEN);
  // The finalizer of MurmurHash3: each bit of the input changes half of the output's.
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (((mixed ^ (mixed >>> 16)) >>> 0) + 0.5) / TWO_32;
}
