import { eventually } from '@svc/testing';
import { offerIdOf, SUPPLY_TYPES } from '@svc/supply-messages';
import type {
  OfferMessage,
  RegistrationMessage,
  SupplyDomain,
  SupplyMessages,
  WithdrawalMessage,
} from '@svc/supply-messages';
import { Wallet } from 'ethers';

const DAY_SECONDS = 86_400;
/** Longer than a certification takes: many offers are certified at once, on a small machine. */
export const CERTIFIED_WITHIN_MS = 150_000;

/** What `GET /v1/providers/{wallet}` says of an offer, as far as specs look at it. */
export interface OfferReply {
  offer_id: string;
  state: string;
  version: number;
  live_version: number | null;
  concurrency: number;
  reason?: { code: string; message: string };
  certification_id?: string;
  certification?: {
    certification_id: string;
    kind: string;
    status: string;
    refusal?: { probe: string; message: string };
  };
}

export interface ProviderReply {
  provider: string;
  nonce: number;
  offers: OfferReply[];
}

interface ProbeReply {
  name: string;
  required: boolean;
  status: string;
  message?: string;
  figures: Record<string, number>;
  exchanges: { request: string; reply: string }[];
}

/** `GET /v1/certifications/{id}`. */
export interface ReportReply {
  id: string;
  status: string;
  probes: ProbeReply[];
  result?: {
    capabilities: Record<string, unknown>;
    tool_contract: Record<string, unknown> | null;
    concurrency: number;
  };
  refusal?: { probe: string; message: string };
}

/** What the gateway answered. */
interface Answered<T> {
  status: number;
  body: T & { error?: { code: string; message: string; param: string | null } };
}

/** A wallet that sells: signs with its key and talks to the gateway as any provider does. */
export class Supplier {
  readonly wallet = Wallet.createRandom();
  private lastNonce = Date.now();

  constructor(
    private readonly gateway: string,
    readonly domain: SupplyDomain,
  ) {}

  /** In lower case, as messages name it. */
  get address(): string {
    return this.wallet.address.toLowerCase();
  }

  nextNonce(): number {
    return ++this.lastNonce;
  }

  registration(fields: Partial<RegistrationMessage> = {}): RegistrationMessage {
    const { address } = this;
    return { provider: address, name: 'Test provider', contact: '', nonce: this.nextNonce(), ...fields };
  }

  /** An offer of `svc/<name>@1` as {@link SupplyMarket.defineModels} defines it. */
  offerOf(name: string, endpoint: string, fields: Partial<OfferMessage> = {}): OfferMessage {
    return {
      provider: this.address,
      model: `svc/${name}@1`,
      bundle: `${name}-bundle`,
      profile: `${name}-profile`,
      endpoint,
      upstreamModel: 'test-model',
      inputPricePerMtok: '100000',
      outputPricePerMtok: '400000',
      concurrency: 4,
      contextLimit: 32_768,
      firstTokenTimeoutMs: 4_000,
      chunkTimeoutMs: 4_000,
      expiresAt: Math.floor(Date.now() / 1_000) + DAY_SECONDS,
      nonce: this.nextNonce(),
      ...fields,
    };
  }

  offerId(name: string): string {
    return offerIdOf(this.address, `${name}-bundle`, `${name}-profile`);
  }

  withdrawal(offerId: string): WithdrawalMessage {
    return { provider: this.address, offerId, nonce: this.nextNonce() };
  }

  sign<K extends keyof SupplyMessages>(
    type: K,
    message: SupplyMessages[K],
    domain = this.domain,
  ): Promise<string> {
    return this.wallet.signTypedData(domain, SUPPLY_TYPES[type], message);
  }

  async register(fields: Partial<RegistrationMessage> = {}): Promise<Answered<ProviderReply>> {
    const message = this.registration(fields);
    return this.post('/v1/providers', { ...message, signature: await this.sign('Registration', message) });
  }

  async offer(message: OfferMessage, extra: object = {}): Promise<Answered<OfferReply>> {
    return this.postOffer(message, await this.sign('Offer', message), extra);
  }

  /** Sends an offer with whatever signature. */
  postOffer(message: OfferMessage, signature: string, extra: object = {}): Promise<Answered<OfferReply>> {
    return this.post('/v1/offers', { ...inSnakeCase(message), signature, ...extra });
  }

  async withdraw(offerId: string): Promise<Answered<OfferReply>> {
    const message = this.withdrawal(offerId);
    const signature = await this.sign('Withdrawal', message);
    return this.post(`/v1/offers/${offerId}/withdraw`, { ...inSnakeCase(message), signature });
  }

  /** The one offer of this provider, or the one of that model. */
  async status(name?: string): Promise<OfferReply> {
    const { body } = await this.get<ProviderReply>(`/v1/providers/${this.address}`);
    const offer = body.offers.find(({ offer_id: id }) => name === undefined || id === this.offerId(name));
    if (!offer) throw new Error('the provider has no such offer');
    return offer;
  }

  /** Waits for the end of the first certification. @param name as of `status` */
  judged(name?: string): Promise<OfferReply> {
    return eventually(
      async () => {
        const offer = await this.status(name);
        return offer.state !== 'certifying' && offer;
      },
      { timeoutMs: CERTIFIED_WITHIN_MS, intervalMs: 250 },
    );
  }

  /** The report of what the offer is certified by; while it is by none, of the newest certification. */
  async report(name?: string): Promise<ReportReply> {
    const { certification_id: certified, certification } = await this.status(name);
    const id = certified ?? certification?.certification_id;
    return (await this.get<ReportReply>(`/v1/certifications/${id}`)).body;
  }

  async get<T>(path: string): Promise<Answered<T>> {
    const response = await fetch(`${this.gateway}${path}`);
    return { status: response.status, body: (await response.json()) as Answered<T>['body'] };
  }

  async post<T>(path: string, body: object): Promise<Answered<T>> {
    const response = await fetch(`${this.gateway}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Answered<T>['body'] };
  }
}

/** The same fields by the names of the HTTP API. */
export function inSnakeCase(message: object): object {
  const fields = Object.entries(message).map(([name, value]: [string, unknown]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(fields) as object;
}
