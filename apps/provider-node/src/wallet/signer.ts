import { readFileSync, statSync } from 'node:fs';
import { Wallet } from 'ethers';
import { misuse } from '../command-line/command-error';
import type { SvcProviderConfig } from '../command-line/svc-provider.config';
import type { ProviderFile } from '../provider-file/provider-file';
import { askPassword } from './ask-password';

/** Who signs, and whom for. */
export interface Signer {
  wallet: Wallet;
  /** The provider, in lower case: the key's own address, or the contract it signs for (EIP-1271). */
  provider: string;
}

/**
 * Opens the provider's key: from SVC_PROVIDER_KEY, else the file's `wallet`. The key is never shown.
 * @throws CommandError (2) when there is none, others may read it, or the password is wrong
 */
export async function openSigner(file: ProviderFile, config: SvcProviderConfig): Promise<Signer> {
  const wallet = await openWallet(file, config);
  const provider = (file.content.wallet?.address ?? wallet.address).toLowerCase();
  return { wallet, provider };
}

async function openWallet(file: ProviderFile, config: SvcProviderConfig): Promise<Wallet> {
  if (config.key !== undefined) {
    const wallet = walletOf(config.key);
    if (!wallet) throw misuse('SVC_PROVIDER_KEY is no private key');
    return wallet;
  }
  const { key_file: keyFile, keystore } = file.content.wallet ?? {};
  if (keyFile !== undefined) return readKeyFile(file, keyFile);
  if (keystore !== undefined) return readKeystore(file, keystore, config.password);
  throw misuse('there is no key: SVC_PROVIDER_KEY, or wallet.key_file or wallet.keystore in the file');
}

function readKeyFile(file: ProviderFile, path: string): Wallet {
  const text = readSecret(file, 'wallet.key_file', path).trim();
  const wallet = walletOf(text);
  if (!wallet) throw file.refusal('wallet.key_file', `${path} holds no private key of 32 bytes in hex`);
  return wallet;
}

/** Undefined for what is none, as nought is not; an error of ethers' own would show the key. */
function walletOf(key: string): Wallet | undefined {
  try {
    return new Wallet(key);
  } catch {
    return undefined;
  }
}

async function readKeystore(file: ProviderFile, path: string, password: string | undefined): Promise<Wallet> {
  const text = readSecret(file, 'wallet.keystore', path);
  const secret = password ?? (await askPassword(`Password of ${path}: `));
  if (secret === undefined)
    throw misuse('the key is encrypted: its password is wanted as SVC_PROVIDER_PASSWORD');
  try {
    const opened = await Wallet.fromEncryptedJson(text, secret);
    return new Wallet(opened.privateKey);
  } catch {
    throw file.refusal(
      'wallet.keystore',
      `${path} cannot be opened: the password is wrong, or it is no encrypted key`,
    );
  }
}

/** A secret that others on the machine may read is none. */
function readSecret(file: ProviderFile, field: string, path: string): string {
  const resolved = file.resolve(path);
  try {
    if (process.platform !== 'win32' && (statSync(resolved).mode & 0o077) !== 0) {
      throw file.refusal(field, `others may read ${path}: chmod 600 ${path}`);
    }
    return readFileSync(resolved, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw file.refusal(field, `cannot read ${path}: ${code}`);
  }
}
