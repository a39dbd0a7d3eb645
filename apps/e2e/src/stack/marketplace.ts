import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { billingContracts, catalogContracts } from '@svc/contracts';
import type {
  ApplyCatalogueRequest,
  CreateKeyRequest,
  KeyView,
  TrialBalance,
  UpdateKeyRequest,
  WalletPosition,
} from '@svc/contracts';
import { RpcClient, connectMessaging } from '@svc/messaging';
import { generateApiKey, hashApiKey, lastFourOf } from '@svc/api-key';
import { eventually } from '@svc/testing';
import OpenAI from 'openai';
import type { Ready } from './launch';

const PROVIDER_WALLET = '0x00000000000000000000000000000000000fa017';

/** The running marketplace as a test sees it: from outside over HTTP, and as an operator over NATS. */
export class Marketplace {
  private constructor(
    readonly ready: Ready,
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
    return new Marketplace(ready, new RpcClient(messaging));
  }

  async close(): Promise<void> {
    await this.rpc.messaging.connection.close();
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
  post(body: string | Uint8Array | object, headers: Record<string, string> = {}): Promise<Response> {
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    return fetch(`${this.ready.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${this.ready.apiKey}`,
        ...headers,
      },
      body: raw ? body : JSON.stringify(body),
    });
  }

  wallet(wallet = this.ready.wallet): Promise<WalletPosition> {
    return this.rpc.call(billingContracts.showWallet, { wallet });
  }

  trialBalance(): Promise<TrialBalance> {
    return this.rpc.call(billingContracts.showTrialBalance, {});
  }

  /** What the wallet has been charged, less refunds, base units. */
  async charged(wallet = this.ready.wallet): Promise<bigint> {
    return BigInt((await this.wallet(wallet)).charged);
  }

  /** Waits until nothing is held any more. */
  async idle(timeoutMs = 10_000): Promise<WalletPosition> {
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
    const value = newKeyValue();
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
    const { apiKey, ...stored } = newKeyValue();
    await this.rpc.call(billingContracts.rotateKey, { wallet, keyId, overlapSeconds, ...stored });
    return apiKey;
  }

  updateKey(change: UpdateKeyRequest): Promise<KeyView> {
    return this.rpc.call(billingContracts.updateKey, change);
  }

  suspend(wallet: string): Promise<WalletPosition> {
    return this.rpc.call(billingContracts.suspendWallet, { wallet, reason: 'end-to-end test' });
  }

  revokeKey(wallet: string, keyId: string): Promise<unknown> {
    return this.rpc.call(billingContracts.revokeKey, { wallet, keyId });
  }

  /**
   * Puts a model into the catalogue that the given endpoints serve, the first at the lowest price, and waits until the
   * gateway lists it with a price.
   * @param name the model's name; its id becomes `svc/<name>@1`
   */
  async offer(
    name: string,
    endpoints: string[],
    limits: { firstTokenTimeoutMs?: number; chunkTimeoutMs?: number; concurrency?: number } = {},
  ): Promise<string> {
    const model = `svc/${name}@1`;
    const request: ApplyCatalogueRequest = {
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
          toolContract: {
            tool_choice: ['auto', 'none', 'required', 'function'],
            parallel_tool_calls: true,
            strict_schemas: true,
            tool_streaming: 'buffered',
            max_argument_bytes: 0,
            certified_concurrency: 64,
            agentic_certified: false,
            metering_version: 1,
            certification_id: 'end-to-end-test',
          },
        },
      ],
      bundles: [
        { id: `${name}-bundle`, model, weightsDigest: 'sha256:0', quantisation: 'none', engine: 'test' },
      ],
      profiles: [{ id: `${name}-profile`, hardwareClass: 'cpu', contextLimit: 32_768, speedTier: 'test' }],
      providers: [{ wallet: PROVIDER_WALLET, name: 'End-to-end provider' }],
      offers: endpoints.map((endpoint, index) => ({
        id: `${name}-offer-${index}`,
        provider: PROVIDER_WALLET,
        bundle: `${name}-bundle`,
        profile: `${name}-profile`,
        endpoint,
        upstreamModel: 'upstream',
        inputPricePerMtok: String(100_000 * (index + 1)),
        outputPricePerMtok: String(400_000 * (index + 1)),
        concurrency: limits.concurrency ?? 64,
        firstTokenTimeoutMs: limits.firstTokenTimeoutMs ?? 1_000,
        chunkTimeoutMs: limits.chunkTimeoutMs ?? 1_000,
        active: true,
      })),
    };
    await this.rpc.call(catalogContracts.applyCatalogue, request);
    await eventually(
      async () => {
        const response = await fetch(`${this.ready.gateway}/v1/models/${encodeURIComponent(model)}`);
        const card = (await response.json()) as { svc?: { pricing?: object } };
        if (!card.svc?.pricing) throw new Error(`${model} is not listed yet`);
        return true;
      },
      { timeoutMs: 10_000 },
    );
    return model;
  }
}

/** The ready file as it stands now (process ids change when services are restarted). */
export function readReady(): Ready {
  const file = process.env.SVC_E2E_READY;
  if (!file) throw new Error('SVC_E2E_READY is not set: run through jest --selectProjects e2e');
  return JSON.parse(readFileSync(file, 'utf8')) as Ready;
}

function newKeyValue(): { apiKey: string; keyHash: string; lastFour: string } {
  const apiKey = generateApiKey('svc_test_');
  return { apiKey, keyHash: hashApiKey(apiKey, readPepper()), lastFour: lastFourOf(apiKey) };
}

/** The pepper that `npm start` made for its gateway: a local development value. */
function readPepper(): string {
  const file = join(dirname(process.env.SVC_E2E_READY ?? ''), 'secrets.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { keyPepper: string }).keyPepper;
}
