import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ProviderFileEntry } from './provider-files';

/**
 * What setup leaves behind for its next run and for the supervisor. Local development values only: it holds a private
 * key and an API key.
 */
export interface SetupState {
  chainId?: number;
  /** Contract addresses, in lower case. */
  usdc?: string;
  settlement?: string;
  /** The settlement contract's block. */
  deployBlock?: number;
  /** What was sent to deploy it on a public chain: hashes, one of which made it. */
  deployTransactions?: string[];
  /** The development wallet, in lower case. */
  wallet?: string;
  walletPrivateKey?: string;
  apiKey?: string;
  /** The seed's providers, for `svc-provider`. */
  providers?: ProviderFileEntry[];
}

/** The state as the last run left it; empty when there was none. @throws SyntaxError when the file is not JSON */
export async function readState(file: string): Promise<SetupState> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as SetupState;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** Replaces the file as a whole, readable by its owner only: a reader sees the old state or the new, never half. */
export async function writeState(file: string, state: SetupState): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(state, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}
