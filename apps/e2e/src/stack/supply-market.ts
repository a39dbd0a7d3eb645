import { readFileSync } from 'node:fs';
import { catalogContracts } from '@svc/contracts';
import { RpcClient, connectMessaging } from '@svc/messaging';
import type { SupplyDomain } from '@svc/supply-messages';
import { eventually } from '@svc/testing';
import { isAlive } from '@svc/local-servers';
import type { Ready } from '@svc/local-servers';
import { rowsOf } from './database';
import { launchStack } from './launch';
import type { LaunchedStack } from './launch';
import { Supplier } from './supplier';

/** What everybody sees of a model, as far as specs look at it. */
interface ModelReply {
  id: string;
  svc: {
    pricing?: object;
    capabilities: { tools: boolean; structuredOutputs: boolean };
    tool_contract?: { tool_choice: string[]; certified_concurrency: number; certification_id: string };
  };
}

const CONTEXT_LIMIT = 32_768;
/** Heartbeats in a row that must be missed. */
const MISSES = 3;

/** A marketplace of a spec's own, started as a user starts one, in which nobody has to wait long. */
export class SupplyMarket {
  private constructor(
    readonly ready: Ready,
    readonly domain: SupplyDomain,
    private readonly stack: LaunchedStack,
    private readonly rpc: RpcClient,
  ) {}

  /** @param stateDir below the workspace */
  static async launch(stateDir: string, environment: Record<string, string> = {}): Promise<SupplyMarket> {
    const stack = await launchStack(stateDir, {
      environment: {
        CERTIFICATION_RETRY_MS: '200',
        // Argument documents are given up by the clock, which a busy machine would bring forward.
        CERTIFICATION_ARGUMENT_BUDGET_MS: '60000',
        ...environment,
      },
    });
    const ready = JSON.parse(readFileSync(stack.readyFile, 'utf8')) as Ready;
    const url = new URL(ready.natsUrl);
    const messaging = await connectMessaging('setup', {
      natsUrl: `nats://${url.host}`,
      natsUser: decodeURIComponent(url.username),
      natsPassword: decodeURIComponent(url.password),
    });
    const terms = await fetch(`${ready.gateway}/v1/supply/terms`);
    const { domain } = (await terms.json()) as { domain: SupplyDomain };
    return new SupplyMarket(ready, domain, stack, new RpcClient(messaging));
  }

  /** @throws Error when a process is left, or one had to be killed */
  async stop(): Promise<void> {
    await this.rpc.messaging.connection.close();
    const { processes } = JSON.parse(readFileSync(this.stack.readyFile, 'utf8')) as Ready;
    const code = await this.stack.stop();
    const left = Object.values(processes).flat().filter(isAlive);
    if (code !== 0 || left.length > 0)
      throw new Error(`npm start ended with ${code}; left: ${left.join(', ')}`);
  }

  supplier(): Supplier {
    return new Supplier(this.ready.gateway, this.domain);
  }

  /**
   * As an operator: models that may do everything, one bundle and one profile each.
   * @param thinking those of them that think before they answer
   */
  async defineModels(names: readonly string[], thinking: readonly string[] = []): Promise<void> {
    await this.rpc.call(catalogContracts.applyCatalogue, {
      models: names.map((name) => ({
        id: `svc/${name}@1`,
        ownedBy: 'e2e',
        contextLimit: CONTEXT_LIMIT,
        capabilities: {
          workload: 'chat' as const,
          tools: true,
          structuredOutputs: true,
          reasoning: thinking.includes(name),
          streaming: true,
          maxOutputTokens: 8_192,
        },
      })),
      bundles: names.map((name) => ({
        id: `${name}-bundle`,
        model: `svc/${name}@1`,
        weightsDigest: `sha256:${name}`,
        quantisation: 'none',
        engine: 'test',
      })),
      profiles: names.map((name) => ({
        id: `${name}-profile`,
        hardwareClass: name,
        contextLimit: CONTEXT_LIMIT,
        speedTier: 'test',
      })),
    });
  }

  /** What was done to a provider or an offer, oldest first: `action: reason`. */
  async trail(subject: string): Promise<string[]> {
    const { entries } = await this.rpc.call(catalogContracts.listAudit, { subject });
    return entries.map(({ action, reason }) => `${action}: ${reason ?? ''}`).reverse();
  }

  async model(name: string): Promise<ModelReply> {
    const response = await fetch(`${this.ready.gateway}/v1/models/${encodeURIComponent(`svc/${name}@1`)}`);
    return (await response.json()) as ModelReply;
  }

  /** A client's request for `svc/<name>@1`. */
  async ask(name: string, body: object): Promise<{ status: number; body: ChatReply }> {
    const response = await fetch(`${this.ready.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.ready.apiKey}` },
      body: JSON.stringify({ model: `svc/${name}@1`, max_tokens: 200, ...body }),
    });
    return { status: response.status, body: (await response.json()) as ChatReply };
  }

  /** Rows of the marketplace's database, read as its superuser. */
  rows<T extends object>(query: string, values: unknown[] = []): Promise<T[]> {
    return rowsOf<T>(this.ready.databaseUrl, query, values);
  }

  /** Waits until none of these offers' endpoints is taken for alive any more. */
  async untilMissed(offerIds: readonly string[]): Promise<void> {
    const query = 'SELECT min(missed_heartbeats) AS least FROM catalog.offers WHERE id = ANY($1)';
    const check = async (): Promise<boolean> => {
      const [row] = await this.rows<{ least: number }>(query, [offerIds]);
      return (row?.least ?? 0) >= MISSES;
    };
    await eventually(check, { timeoutMs: 30_000, intervalMs: 200 });
  }

  /** Waits until the model has a price, or has none any more. */
  async untilServed(name: string, served: boolean): Promise<void> {
    const check = async (): Promise<boolean> =>
      ((await this.model(name)).svc.pricing !== undefined) === served;
    await eventually(check, { intervalMs: 50 });
  }
}

interface ChatReply {
  error?: { code: string; message: string; param: string | null };
  svc?: { provider: string; cost_usdc: string };
  choices?: {
    message: { content: string | null; reasoning_content?: string; tool_calls?: { id: string }[] };
  }[];
}
