import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { billingContracts, catalogContracts } from '@svc/contracts';
import type {
  CreateKeyRequest,
  KeyView,
  TrialBalance,
  UpdateKeyRequest,
  WalletPosition,
} from '@svc/contracts';
import { connectChain } from '@svc/contracts-evm';
import { ENVIRONMENTS } from '@svc/environment';
import { RpcClient, connectMessaging } from '@svc/messaging';
import type { SupplyDomain } from '@svc/supply-messages';
import { generateApiKey, hashApiKey, lastFourOf } from '@svc/api-key';
import type { Ready } from '@svc/local-servers';
import { eventually, waitLongFor } from '@svc/testing';
import type { JsonRpcProvider } from 'ethers';
import OpenAI from 'openai';
import { CertifiedModels } from './certified-models';

/** The running marketplace as a test sees it: from outside over HTTP, and as an operator over NATS. */
export class Marketplace {
  /** Models of the test's own, and who serves them. */
  readonly models: CertifiedModels;

  private constructor(
    readonly ready: Ready,
    readonly domain: SupplyDomain,
    private readonly rpc: RpcClient,
  ) {
    this.models = new CertifiedModels(ready.gateway, domain, rpc);
  }

  static async connect(): Promise<Marketplace> {
    const ready = readReady();
    const url = new URL(ready.natsUrl);
    const messaging = await connectMessaging('setup', {
      natsUrl: `nats://${url.host}`,
      natsUser: decodeURIComponent(url.username),
      natsPassword: decodeURIComponent(url.password),
    });
    const terms = await fetch(`${ready.gateway}/v1/supply/terms`);
    const { domain } = (await terms.json()) as { domain: SupplyDomain };
    waitLongFor({ ...billingContracts, ...catalogContracts });
    return new Marketplace(ready, domain, new RpcClient(messaging));
  }

  async close(): Promise<void> {
    await this.models.close();
    await this.rpc.messaging.connection.close();
  }

  /** The local chain; whoever asked for it ends it (`destroy`). */
  connectChain(): Promise<JsonRpcProvider> {
    return connectChain({ rpcUrl: this.ready.chainRpc, chainId: BigInt(this.domain.chainId) });
  }

  /** The official client; retries are off so that a test sees every refusal. */
  client(options: { apiKey?: string } = {}): OpenAI {
    return new OpenAI({
      baseURL: `${this.ready.gateway}/v1`,
      apiKey: options.apiKey ?? this.ready.apiKey,
      maxRetries: 0,
      timeout: 60_000,
    });
  }

  /** A raw request, for what the client would never send. */
  post(
    body: string | Uint8Array | object,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    return fetch(`${this.ready.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${this.ready.apiKey}`,
        ...headers,
      },
      body: raw ? body : JSON.stringify(body),
      signal: signal ?? null,
    });
  }

  wallet(wallet = this.ready.wallet): Promise<WalletPosition> {
    return this.rpc.call(billingContracts.showWallet, { wallet });
  }

  /** Has billing read what the chain says of a wallet now. */
  async readChain(wallet: string): Promise<void> {
    await this.rpc.call(billingContracts.registerWallet, { wallet });
  }

  trialBalance(): Promise<TrialBalance> {
    return this.rpc.call(billingContracts.showTrialBalance, {});
  }

  /** What the wallet has been charged, less refunds, base units. */
  async charged(wallet = this.ready.wallet): Promise<bigint> {
    return BigInt((await this.wallet(wallet)).charged);
  }

  /** Waits until nothing is held any more. */
  async idle(timeoutMs = 60_000): Promise<WalletPosition> {
    return eventually(
      async () => {
        const position = await this.wallet();
        if (position.held !== '0' || position.openHolds !== 0)
          throw new Error(`still held: ${position.held}`);
        return position;
      },
      { timeoutMs },
    );
  }

  /** A key of another wallet, made as the gateway makes keys. */
  async createKey(
    wallet: string,
    budget: Pick<CreateKeyRequest, 'budgetCap' | 'budgetReset'> = {},
  ): Promise<{ apiKey: string; keyId: string }> {
    const value = this.newKeyValue();
    await this.rpc.call(billingContracts.registerWallet, { wallet });
    const { apiKey, ...stored } = value;
    const { keyId } = await this.rpc.call(billingContracts.createKey, {
      ...{ wallet, name: 'e2e', ...stored },
      ...budget,
    });
    return { apiKey, keyId };
  }

  /** Replaces a key's value. @returns the new one */
  async rotateKey(wallet: string, keyId: string, overlapSeconds: number): Promise<string> {
    const { apiKey, ...stored } = this.newKeyValue();
    await this.rpc.call(billingContracts.rotateKey, { wallet, keyId, overlapSeconds, ...stored });
    return apiKey;
  }

  updateKey(change: UpdateKeyRequest): Promise<KeyView> {
    return this.rpc.call(billingContracts.updateKey, change);
  }

  suspend(wallet: string): Promise<WalletPosition> {
    return this.rpc.call(billingContracts.suspendWallet, {
      wallet,
      reason: 'end-to-end test',
      actor: 'tester',
    });
  }

  /** The wallet's, the newest first. */
  async keys(wallet: string): Promise<KeyView[]> {
    return (await this.rpc.call(billingContracts.listKeys, { wallet })).keys;
  }

  revokeKey(wallet: string, keyId: string): Promise<unknown> {
    return this.rpc.call(billingContracts.revokeKey, { wallet, keyId });
  }

  private newKeyValue(): { apiKey: string; keyHash: string; lastFour: string } {
    const apiKey = generateApiKey(ENVIRONMENTS[this.ready.environment].keyPrefix);
    return { apiKey, keyHash: hashApiKey(apiKey, readPepper()), lastFour: lastFourOf(apiKey) };
  }
}

/** The ready file as it stands now (process ids change when services are restarted). */
export function readReady(): Ready {
  const file = process.env.SVC_E2E_READY;
  if (!file) throw new Error('SVC_E2E_READY is not set: run through jest --selectProjects e2e');
  return JSON.parse(readFileSync(file, 'utf8')) as Ready;
}

/** The pepper that `npm start` made for its gateway: a local development value. */
function readPepper(): string {
  const file = join(dirname(process.env.SVC_E2E_READY ?? ''), 'secrets.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { keyPepper: string }).keyPepper;
}
