import { N, Signature, dataLength, recoverAddress } from 'ethers';

const SIGNATURE_BYTES = 65;
const HALF_N = N / 2n;
/** The last byte says which of two keys it was: 27 or 28, or 0 or 1 as some devices write it. */
const RECOVERY_BYTES: readonly number[] = [0, 1, 27, 28];

/**
 * The wallet whose account key signed a digest, in lower case. Of the two signatures that fit a key and a digest, only the one with
 * the lower s counts (EIP-2), so that nobody can make another of a given one.
 * @returns undefined for what is no signature of an account's key
 */
export function accountThatSigned(digest: string, signature: string): string | undefined {
  if (dataLength(signature) !== SIGNATURE_BYTES) return undefined;
  const recovery = Number.parseInt(signature.slice(-2), 16);
  const s = BigInt(`0x${signature.slice(66, 130)}`);
  if (!RECOVERY_BYTES.includes(recovery) || s > HALF_N) return undefined;
  try {
    return recoverAddress(digest, Signature.from(signature)).toLowerCase();
  } catch {
    // r or s belong to no point of the curve.
    return undefined;
  }
}
