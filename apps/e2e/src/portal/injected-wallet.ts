import { eventually } from '@svc/testing';
import type { BaseWallet, TypedDataDomain, TypedDataField } from 'ethers';
import { getBytes, toUtf8String } from 'ethers';
import type { BrowserContext } from 'playwright-core';
import { readReady } from '../stack/marketplace';
import { announceWallet } from './announce-wallet';

interface TypedData {
  domain: TypedDataDomain;
  types: Record<string, TypedDataField[]>;
  message: Record<string, unknown>;
}
interface Call {
  method: string;
  params?: unknown[];
}
/** What the page gets: a wallet's errors have a number. */
type Answer = { result: unknown } | { error: { code: number; message: string } };

const THINKS_AT_MOST_MS = 60_000;
const USER_REJECTED = 4001;
const CHAIN_UNKNOWN = 4902;
const INVALID_PARAMS = -32602;

/**
 * A browser extension's wallet as the page meets it (EIP-6963, EIP-1193). The key stays in the test's process, which really signs;
 * what the wallet does not know it asks the chain, as extensions do.
 */
export class InjectedWallet {
  /** What its user does when asked to sign or send; who thinks answers once in another mood. */
  mood: 'agrees' | 'rejects' | 'thinks' = 'agrees';
  /** What it was asked to sign or send. */
  readonly asked: string[] = [];

  private constructor(
    private readonly context: BrowserContext,
    private signer: BaseWallet,
    private chainId: number,
    private readonly known: Set<number>,
  ) {}

  /**
   * Puts the wallet into every page that the visitor opens from now on.
   * @param options.chainId the chain that it is on; the local one unless told
   */
  static async install(
    context: BrowserContext,
    signer: BaseWallet,
    options: { chainId?: number; name?: string } = {},
  ): Promise<InjectedWallet> {
    const local = Number(await rpc({ method: 'eth_chainId' }));
    const chainId = options.chainId ?? local;
    const wallet = new InjectedWallet(context, signer, chainId, new Set([local, chainId]));
    await context.exposeFunction('testWalletRequest', (call: Call) => wallet.answer(call));
    await context.addInitScript({ content: announceWallet(options.name ?? 'Test Wallet') });
    return wallet;
  }

  /** The chain that it is on now. */
  get chain(): number {
    return this.chainId;
  }

  get address(): string {
    return this.signer.address;
  }

  /** Its user chooses another account. */
  async switchAccount(signer: BaseWallet): Promise<void> {
    this.signer = signer;
    await this.tell('accountsChanged', [signer.address.toLowerCase()]);
  }

  async switchChain(chainId: number): Promise<void> {
    this.chainId = chainId;
    await this.tell('chainChanged', hex(chainId));
  }

  private async tell(event: string, value: unknown): Promise<void> {
    const emit = `window.testWalletEmit?.(${JSON.stringify(event)}, ${JSON.stringify(value)})`;
    await Promise.all(this.context.pages().map((page) => page.evaluate(emit)));
  }

  private async answer(call: Call): Promise<Answer> {
    try {
      return { result: await this.handle(call) };
    } catch (error) {
      const { code = -32603, message } = error as { code?: number; message: string };
      return { error: { code: typeof code === 'number' ? code : -32603, message } };
    }
  }

  private async handle({ method, params = [] }: Call): Promise<unknown> {
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return [this.signer.address.toLowerCase()];
      case 'eth_chainId':
        return hex(this.chainId);
      case 'wallet_switchEthereumChain':
        return this.changeChain(Number((params[0] as { chainId: string }).chainId));
      case 'wallet_addEthereumChain':
        this.known.add(Number((params[0] as { chainId: string }).chainId));
        return this.changeChain(Number((params[0] as { chainId: string }).chainId));
      case 'personal_sign':
        await this.asks(method);
        return this.signer.signMessage(messageOf(String(params[0])));
      case 'eth_signTypedData_v4':
        await this.asks(method);
        return this.signTypedData(JSON.parse(String(params[1])) as TypedData);
      case 'eth_sendTransaction':
        await this.asks(method);
        return this.send(params[0] as Record<string, string>);
      default:
        return rpc({ method, params });
    }
  }

  private async asks(method: string): Promise<void> {
    this.asked.push(method);
    await eventually(() => this.mood !== 'thinks', { timeoutMs: THINKS_AT_MOST_MS });
    if (this.mood === 'rejects') throw refusal(USER_REJECTED, 'User rejected the request.');
  }

  private async changeChain(chainId: number): Promise<null> {
    if (!this.known.has(chainId)) throw refusal(CHAIN_UNKNOWN, `Unrecognized chain ID ${hex(chainId)}.`);
    await this.switchChain(chainId);
    return null;
  }

  private signTypedData({ domain, types, message }: TypedData): Promise<string> {
    // ethers derives it from the domain.
    const own = Object.fromEntries(Object.entries(types).filter(([name]) => name !== 'EIP712Domain'));
    return this.signer.signTypedData(domain, own, message);
  }

  private async send(request: Record<string, string>): Promise<unknown> {
    const from = this.signer.address;
    if (request.chainId !== undefined && Number(request.chainId) !== this.chainId)
      throw refusal(INVALID_PARAMS, 'The chain of the transaction is not the one that the wallet is on.');
    const [nonce, gas, gasPrice] = await Promise.all([
      rpc({ method: 'eth_getTransactionCount', params: [from, 'pending'] }),
      rpc({ method: 'eth_estimateGas', params: [{ ...request, from }] }),
      rpc({ method: 'eth_gasPrice' }),
    ]);
    const signed = await this.signer.signTransaction({
      to: request.to,
      data: request.data,
      value: request.value ?? '0x0',
      type: 0,
      chainId: this.chainId,
      nonce: Number(nonce),
      gasLimit: String(gas),
      gasPrice: String(gasPrice),
    });
    return rpc({ method: 'eth_sendRawTransaction', params: [signed] });
  }
}

/** Text, or its bytes in hex, as the page prefers. */
function messageOf(text: string): string | Uint8Array {
  if (!/^0x([0-9a-f]{2})*$/i.test(text)) return text;
  try {
    return toUtf8String(text);
  } catch {
    return getBytes(text);
  }
}

const hex = (value: number) => `0x${value.toString(16)}`;

function refusal(code: number, message: string): Error {
  return Object.assign(new Error(message), { code });
}

async function rpc(call: Call): Promise<unknown> {
  const reply = await fetch(readReady().chainRpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, params: [], ...call }),
  });
  const { result, error } = (await reply.json()) as {
    result?: unknown;
    error?: { code: number; message: string };
  };
  if (error) throw refusal(error.code, error.message);
  return result;
}
