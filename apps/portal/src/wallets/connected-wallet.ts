import type { ChainConfig } from '../api/config';
import type { WalletOffer } from './discovery';
import type { Eip1193Provider } from './eip1193';
import { WalletError, walletErrorOf } from './wallet-error';

/** EIP-712 data; bigints are allowed and sent as decimal text. */
interface TypedData {
  domain: Record<string, unknown>;
  types: Record<string, readonly { name: string; type: string }[]>;
  primaryType: string;
  message: Record<string, unknown>;
}

export interface TransactionReceipt {
  hash: string;
  blockNumber: bigint;
  /** What contracts said in it. */
  logs: readonly TransactionLog[];
}

interface TransactionLog {
  address: string;
  topics: readonly `0x${string}`[];
  data: `0x${string}`;
}

/** As `eth_getTransactionReceipt` gives it. */
interface RpcReceipt {
  status?: string;
  blockNumber: string;
  logs?: readonly TransactionLog[];
}

const FIRST_POLL_MS = 250;
const LONGEST_POLL_MS = 4_000;
const GIVE_UP_AFTER_MS = 180_000;

/** A wallet that somebody chose, speaking for one account. Whatever it fails at throws a WalletError. */
export class ConnectedWallet {
  private constructor(
    readonly offer: WalletOffer,
    /** Lower case. */
    readonly account: string,
    readonly provider: Eip1193Provider,
    private readonly chain: ChainConfig,
  ) {}

  /** Asks the owner. */
  static async open(offer: WalletOffer, chain: ChainConfig): Promise<ConnectedWallet> {
    // A development wallet is code of this page: where that does not come, no wallet has failed.
    const provider = await offer.open();
    const account = await firstAccount(provider, 'eth_requestAccounts').catch((error: unknown) => {
      throw walletErrorOf(error);
    });
    if (account !== undefined) return new ConnectedWallet(offer, account, provider, chain);
    throw new WalletError(
      'The wallet gave no account. Unlock it and choose one, then connect again.',
      'locked',
    );
  }

  /**
   * Asks nobody. @returns undefined where the owner has not allowed this page before, or the wallet fails
   * @throws where a development wallet, which is code of this page, does not come
   */
  static async reopen(offer: WalletOffer, chain: ChainConfig): Promise<ConnectedWallet | undefined> {
    const provider = await offer.open();
    const account = await firstAccount(provider, 'eth_accounts').catch(() => undefined);
    return account === undefined ? undefined : new ConnectedWallet(offer, account, provider, chain);
  }

  /** The same wallet after its owner chose another account in it. */
  withAccount(account: string): ConnectedWallet {
    return new ConnectedWallet(this.offer, account.toLowerCase(), this.provider, this.chain);
  }

  /** An EIP-191 signature of the text, in hex. */
  async signMessage(text: string): Promise<`0x${string}`> {
    return this.hex('personal_sign', [hexOf(new TextEncoder().encode(text)), this.account]);
  }

  /** An EIP-712 signature, in hex. Switches the wallet to the marketplace's chain first: wallets refuse another one's data. */
  async signTypedData(data: TypedData): Promise<`0x${string}`> {
    await this.ensureChain();
    return this.hex('eth_signTypedData_v4', [this.account, typedDataJson(data)]);
  }

  /** Sends a transaction on the marketplace's chain, which it names: its owner may switch the wallet while asked. Gives its hash. */
  async sendTransaction({ to, data }: { to: string; data: string }): Promise<`0x${string}`> {
    await this.ensureChain();
    const call = { from: this.account, to, data, value: '0x0', chainId: this.chainId };
    return this.hex('eth_sendTransaction', [call]);
  }

  /** What a contract answers, without a transaction. */
  async read({ to, data }: { to: string; data: string }): Promise<`0x${string}`> {
    await this.ensureChain();
    return this.hex('eth_call', [{ to, data }, 'latest']);
  }

  /**
   * Waits until a transaction is in a block of the marketplace's chain.
   * @throws WalletError when it failed there, went to another chain, or is not there after three minutes
   */
  async waitForTransaction(hash: string, signal?: AbortSignal): Promise<TransactionReceipt> {
    const endsAt = Date.now() + GIVE_UP_AFTER_MS;
    let wasElsewhere = false;
    for (let pause = FIRST_POLL_MS; Date.now() < endsAt; pause = Math.min(pause * 1.5, LONGEST_POLL_MS)) {
      signal?.throwIfAborted();
      const found = await this.lookUp(hash);
      if (found?.isHere) return minedReceipt(hash, found.receipt);
      // Seen once, the wallet may have been switched between its two answers.
      if (found && wasElsewhere) throw this.sentElsewhere();
      wasElsewhere = found !== undefined;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    if (await this.isOnChain())
      throw new WalletError('The transaction is not confirmed yet. Your wallet shows how it stands.', 'busy');
    throw new WalletError(
      `The wallet is on another network, where the transaction cannot be seen. Your wallet shows how it stands on ${this.chain.name}.`,
      'chain',
    );
  }

  /** Switches the wallet to the marketplace's chain, and tells it about the chain when it does not know it. */
  async ensureChain(): Promise<void> {
    const wanted = this.chainId;
    if (await this.isOnChain()) return;
    try {
      await this.provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: wanted }] });
    } catch (error) {
      if (walletErrorOf(error).kind !== 'chain' || this.chain.rpc_url === null) throw walletErrorOf(error);
      await this.addChain(wanted, this.chain.rpc_url);
    }
    if (!(await this.isOnChain())) {
      throw new WalletError(
        `The wallet stayed on another network. Switch it to ${this.chain.name}, then try again.`,
        'chain',
      );
    }
  }

  /** The receipt that the wallet's network has, and whether that is the marketplace's; undefined while there is none. */
  private async lookUp(hash: string): Promise<{ receipt: RpcReceipt; isHere: boolean } | undefined> {
    try {
      const receipt = await this.ask('eth_getTransactionReceipt', [hash]);
      if (typeof receipt !== 'object' || receipt === null) return undefined;
      return { receipt: receipt as RpcReceipt, isHere: await this.isOnChain() };
    } catch {
      // What was sent is on its way all the same when the network does not answer for a moment.
      return undefined;
    }
  }

  private sentElsewhere(): WalletError {
    return new WalletError(
      `The wallet sent it on another network, where it did nothing for the marketplace. Switch the wallet to ${this.chain.name}, then ` +
        'try again.',
      'chain',
    );
  }

  private get chainId(): string {
    return `0x${this.chain.id.toString(16)}`;
  }

  private async isOnChain(): Promise<boolean> {
    return isNumber(await this.ask('eth_chainId'), this.chain.id);
  }

  private async addChain(chainId: string, rpcUrl: string): Promise<void> {
    const { name, explorer_url } = this.chain;
    await this.ask('wallet_addEthereumChain', [
      {
        chainId,
        chainName: name,
        rpcUrls: [rpcUrl],
        nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
        ...(explorer_url === null ? {} : { blockExplorerUrls: [explorer_url] }),
      },
    ]);
  }

  private async hex(method: string, params: unknown[]): Promise<`0x${string}`> {
    const reply = await this.ask(method, params);
    if (typeof reply === 'string' && /^0x[0-9a-fA-F]*$/.test(reply)) return reply as `0x${string}`;
    throw new WalletError(
      'The wallet answered with something that is no signature and no hash. Try another wallet.',
      'unknown',
    );
  }

  private async ask(method: string, params: unknown[] = []): Promise<unknown> {
    try {
      return await this.provider.request({ method, params });
    } catch (error) {
      throw walletErrorOf(error);
    }
  }
}

/** Wallets write it in capitals, with zeros before it, or as a number. */
function isNumber(answer: unknown, wanted: number): boolean {
  try {
    return (typeof answer === 'string' || typeof answer === 'number') && BigInt(answer) === BigInt(wanted);
  } catch {
    return false;
  }
}

/** Lower case; undefined where the wallet gives none. @throws what the wallet says */
async function firstAccount(
  provider: Eip1193Provider,
  method: 'eth_requestAccounts' | 'eth_accounts',
): Promise<string | undefined> {
  const accounts = await provider.request({ method });
  const [account] = Array.isArray(accounts) ? (accounts as unknown[]) : [];
  return typeof account === 'string' ? account.toLowerCase() : undefined;
}

/** @throws WalletError when it failed in its block */
function minedReceipt(hash: string, { status, blockNumber, logs }: RpcReceipt): TransactionReceipt {
  if (status === '0x0')
    throw new WalletError(
      'The transaction failed on the chain. Nothing was changed but the network fee.',
      'reverted',
    );
  return { hash, blockNumber: BigInt(blockNumber), logs: logs ?? [] };
}

/** As `eth_signTypedData_v4` takes it: JSON with the domain's own type listed, numbers beyond 2^53 as text. */
export function typedDataJson({ domain, types, primaryType, message }: TypedData): string {
  const domainTypes: Record<string, string> = {
    name: 'string',
    version: 'string',
    chainId: 'uint256',
    verifyingContract: 'address',
    salt: 'bytes32',
  };
  const EIP712Domain = Object.keys(domainTypes)
    .filter((name) => domain[name] !== undefined)
    .map((name) => ({ name, type: domainTypes[name] }));
  return JSON.stringify(
    { domain, types: { EIP712Domain, ...types }, primaryType, message },
    (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value),
  );
}

function hexOf(bytes: Uint8Array): `0x${string}` {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
