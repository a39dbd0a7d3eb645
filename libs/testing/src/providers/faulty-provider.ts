import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@svc/local-servers';
import { PROVIDER_BEHAVIOURS } from './provider-behaviours';
import { ProviderExchange } from './provider-exchange';
import type { ProviderOptions, RecordedRequest } from './provider-exchange';

/** `refuse-connection` is a port at which nobody listens; the others are in the table. */
export type ProviderBehaviour = keyof typeof PROVIDER_BEHAVIOURS | 'refuse-connection';

/** Every behaviour, for tests that go through all of them. */
export const PROVIDER_BEHAVIOUR_NAMES: readonly ProviderBehaviour[] = [
  'refuse-connection',
  ...(Object.keys(PROVIDER_BEHAVIOURS) as (keyof typeof PROVIDER_BEHAVIOURS)[]),
];

/** A provider under test's control. */
export interface FaultyProvider {
  /** Base URL with `/v1`, as an offer names it. */
  readonly url: string;
  /** The chat completions asked for so far, oldest first. */
  requests(): readonly RecordedRequest[];
  /** How many of them the caller hung up on. */
  abortedCount(): number;
  /** Answers the requests to come in another way, or each as it is told for it. Not from or to `refuse-connection`. */
  behave(behaviour: keyof typeof PROVIDER_BEHAVIOURS | (() => keyof typeof PROVIDER_BEHAVIOURS)): void;
  /** Ends every connection and the server. */
  stop(): Promise<void>;
}

const DEFAULTS: ProviderOptions = {
  text: 'Hello from the test provider: grüße, 世界 and 👋🏽.',
  pauseMs: 50,
  retryAfterSeconds: 7,
};
const MODEL_LIST = JSON.stringify({
  object: 'list',
  data: [{ id: 'test-model', object: 'model', owned_by: 'test' }],
});

/**
 * Starts a provider on a free port of this machine that answers every chat completion in one way.
 * `GET /v1/models` is always answered.
 */
export async function startFaultyProvider(
  behaviour: ProviderBehaviour = 'ok',
  options: Partial<ProviderOptions> = {},
): Promise<FaultyProvider> {
  const provider = new TestProvider({ ...DEFAULTS, ...options });
  if (behaviour === 'refuse-connection') {
    await provider.stayAway();
    return provider;
  }
  await provider.start();
  provider.behave(behaviour);
  return provider;
}

class TestProvider implements FaultyProvider {
  private readonly server: Server = createServer((request, response) => {
    // A caller may hang up in the middle of anything; that is recorded, not raised.
    this.handle(request, response).catch(() => response.destroy());
  });
  private readonly exchanges: { request: IncomingMessage; exchange: ProviderExchange }[] = [];
  private behaviour: () => keyof typeof PROVIDER_BEHAVIOURS = () => 'ok';
  private port = 0;

  constructor(private readonly options: ProviderOptions) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Takes a port at which nobody listens: one that was given back could be given to the next server of a test. */
  async stayAway(): Promise<void> {
    this.port = await freePort();
  }

  behave(behaviour: keyof typeof PROVIDER_BEHAVIOURS | (() => keyof typeof PROVIDER_BEHAVIOURS)): void {
    this.behaviour = typeof behaviour === 'function' ? behaviour : () => behaviour;
  }

  requests(): readonly RecordedRequest[] {
    return this.exchanges.map(({ request: { url, headers }, exchange }) => ({
      path: url ?? '',
      headers,
      body: exchange.body,
      aborted: exchange.hungUp,
    }));
  }

  abortedCount(): number {
    return this.requests().filter(({ aborted }) => aborted).length;
  }

  async stop(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(MODEL_LIST);
      return;
    }
    const body = await parsedBody(request);
    if (body === undefined) return;
    const exchange = new ProviderExchange(body, response, this.options);
    this.exchanges.push({ request, exchange });
    await PROVIDER_BEHAVIOURS[this.behaviour()](exchange);
  }
}

/** The body as an object (empty when it is something else), or undefined when the caller hung up within it. */
async function parsedBody(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  } catch {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
