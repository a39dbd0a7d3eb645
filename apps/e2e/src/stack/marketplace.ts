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
import { eventually, waitLongFor } from '@svc/testing';
import type { JsonRpcProvider } from 'ethers';
import OpenAI from 'openai';
import { Supplier } from '../bad-providers/supplier';
import { Doorway } from './doorway';
import type { Ready } from './launch';

/** Beyond what an offer says, so that no probe is ever told 429. */
const SPARE_PLACES = 4;
/** Of offers whose timers are not what is tested: the servers behind them are in the test's process, which may stand still for a while. */
const PATIENT_MS = 10_000;
/** Many are certified at once, on a small machine. */
const CERTIFIED_WITHIN_MS = 150_000;

/** The running marketplace as a test sees it: from outside over HTTP, and as an operator over NATS. */
export class Marketplace {
  private readonly doorways: Doorway[] = [];

  private constructor(
    readonly ready: Ready,
    readonly domain: SupplyDomain,
    private readonly rpc: RpcClient,
  ) {}

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
    await Promise.all(this.doorways.map((doorway) => doorway.close()));
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

  /**
   * Has a model served by the given endpoints, the first at the lowest price: see {@link certify}.
   * @returns the model's id
   */
  async offer(name: string, endpoints: string[], limits: OfferLimits = {}): Promise<string> {
    const offered = await this.certify(name, endpoints.length, limits);
    await offered.leadTo(endpoints);
    return offered.model;
  }

  /**
   * Defines a model, and has as many providers offer it, the first at the lowest price, each certified with an honest server behind
   * its endpoint. Ready when the gateway lists it with a price.
   * @param name the model's name; its id becomes `svc/<name>@1`
   * @param limits the first's
   * @param otherLimits the others': the same unless told
   */
  async certify(
    name: string,
    providers: number,
    limits: OfferLimits = {},
    otherLimits = limits,
  ): Promise<CertifiedModel> {
    const model = await this.define(name);
    const concurrency = limits.concurrency ?? 4;
    const doorways = await Promise.all(
      Array.from({ length: providers }, () => Doorway.open(concurrency + SPARE_PLACES)),
    );
    this.doorways.push(...doorways);
    await Promise.all(
      doorways.map(async ({ url }, index) => {
        const supplier = new Supplier(this.ready.gateway, this.domain);
        const { firstTokenTimeoutMs, chunkTimeoutMs } = index === 0 ? limits : otherLimits;
        const accepted = await supplier.register({ name: 'End-to-end provider' });
        if (accepted.status >= 300) throw new Error(`not registered: ${JSON.stringify(accepted.body)}`);
        const terms = supplier.offerOf(name, url, {
          inputPricePerMtok: String(100_000 * (index + 1)),
          // Dearer than the demo's: the portal suggests the cheapest, which must outlive this test.
          outputPricePerMtok: String(410_000 * (index + 1)),
          concurrency,
          firstTokenTimeoutMs: firstTokenTimeoutMs ?? PATIENT_MS,
          chunkTimeoutMs: chunkTimeoutMs ?? PATIENT_MS,
        });
        const submitted = await supplier.offer(terms);
        if (submitted.status >= 300) throw new Error(`not taken: ${JSON.stringify(submitted.body)}`);
        await untilLive(supplier, name);
      }),
    );
    await eventually(() => this.isListed(model));
    return {
      model,
      leadTo: async (endpoints) => {
        await Promise.all(doorways.map((doorway, index) => doorway.leadTo(endpoints[index])));
      },
    };
  }

  private newKeyValue(): { apiKey: string; keyHash: string; lastFour: string } {
    const apiKey = generateApiKey(ENVIRONMENTS[this.ready.environment].keyPrefix);
    return { apiKey, keyHash: hashApiKey(apiKey, readPepper()), lastFour: lastFourOf(apiKey) };
  }

  /**
   * Defines a model that nobody serves yet, with a build `<name>-bundle` and a profile `<name>-profile`.
   * @returns its id, `svc/<name>@1`
   */
  async define(name: string): Promise<string> {
    const model = `svc/${name}@1`;
    await this.rpc.call(catalogContracts.applyCatalogue, {
      models: [
        {
          id: model,
          ownedBy: 'e2e',
          contextLimit: 32_768,
          capabilities: {
            workload: 'chat',
            tools: true,
            structuredOutputs: true,
            reasoning: false,
            streaming: true,
            maxOutputTokens: 8_192,
          },
        },
      ],
      bundles: [
        { id: `${name}-bundle`, model, weightsDigest: 'sha256:0', quantisation: 'none', engine: 'test' },
      ],
      profiles: [{ id: `${name}-profile`, hardwareClass: 'cpu', contextLimit: 32_768, speedTier: 'test' }],
    });
    return model;
  }

  private async isListed(model: string): Promise<boolean> {
    const response = await fetch(`${this.ready.gateway}/v1/models/${encodeURIComponent(model)}`);
    const card = (await response.json()) as { svc?: { pricing?: object } };
    return card.svc?.pricing !== undefined;
  }
}

/** What an offer says beside what all of them have in common. */
export interface OfferLimits {
  firstTokenTimeoutMs?: number;
  chunkTimeoutMs?: number;
  concurrency?: number;
}

export interface CertifiedModel {
  model: string;
  /** From now on the endpoints are these servers', in the order of their prices; those beyond are nobody's. */
  leadTo(endpoints: readonly string[]): Promise<void>;
}

/** Waits until the offer serves. @throws Error when it is refused, with the reason */
async function untilLive(supplier: Supplier, name: string): Promise<void> {
  const { state, reason } = await eventually(
    async () => {
      const status = await supplier.status(name);
      return status.state === 'certifying' ? undefined : status;
    },
    { timeoutMs: CERTIFIED_WITHIN_MS, intervalMs: 250 },
  );
  if (state !== 'live') throw new Error(`${name} is ${state}: ${reason?.code}: ${reason?.message}`);
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
