import { createKeccak } from 'hash-wasm';
import type { IHasher } from 'hash-wasm';
import { getBytes, keccak256 } from 'ethers';

let quick: IHasher | undefined;

/**
 * Has this process hash with WebAssembly instead of JavaScript, ethers too: a tenth of the time, of which receipts take most that
 * billing has besides its ledger. The hashes are the same.
 */
export async function useQuickKeccak(): Promise<void> {
  quick = await createKeccak(256);
  keccak256.register(keccak);
}

/** Keccak-256 from bytes to 32 bytes, without ethers' way through hex where {@link useQuickKeccak} was called. */
export function keccak(content: Uint8Array): Uint8Array {
  return quick ? quick.init().update(content).digest('binary') : getBytes(keccak256(content));
}
