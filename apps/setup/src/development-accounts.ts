import { HDNodeWallet } from 'ethers';

/** The mnemonic of development nodes, known to everybody: its accounts hold nothing of worth on any chain. */
const DEVELOPMENT_MNEMONIC = 'test test test test test test test test test test test junk';

/** The wallet behind the development key: the node's second account (the first deploys the contracts). */
export const DEVELOPMENT_WALLET_INDEX = 1;

/** Is credited with what the demo vendor serves. */
export const VENDOR_PAYEE_INDEX = 19;

/** Providers that name no wallet of their own get these accounts, which the node does not fund. */
export const FIRST_PROVIDER_INDEX = 20;

/** The private key of a development node's account, in hex. */
export function developmentKey(index: number): string {
  return developmentAccount(index).privateKey;
}

/** The address of a development node's account, in lower case. */
export function developmentAddress(index: number): string {
  return developmentAccount(index).address.toLowerCase();
}

function developmentAccount(index: number): HDNodeWallet {
  return HDNodeWallet.fromPhrase(DEVELOPMENT_MNEMONIC, undefined, `m/44'/60'/0'/0/${index}`);
}
