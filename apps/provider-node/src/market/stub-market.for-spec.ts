import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SUPPLY_TYPES, offerIdOf, supplyDomain } from '@svc/supply-messages';
import type { SupplyMessages } from '@svc/supply-messages';
import { verifyTypedData } from 'ethers';

type Fields = Record<string, unknown>;

/** An act that came with a good signature. */
interface ReceivedAct {
  type: keyof SupplyMessages;
  path: string;
  body: Fields;
}

interface Refusal {
  status: number;
  message?: string;
  param?: string | null;
  headers?: Record<string, string>;
}

/** A market for specs: takes what is signed rightly, and says what it is told to say. */
export class StubMarket {
  url = '';
  domain = supplyDomain(31_337, `0x${'5'.repeat(40)}`);
  readonly acts: ReceivedAct[] = [];
  nonce = 0;
  /** Taken one by one before anything else is answered to a POST. */
  readonly refusals: Refusal[] = [];
  /** So many polls after an offer are broken off. */
  brokenPolls = 0;
  /** By offer id. */
  readonly offers = new Map<string, Fields>();
  /** What each poll after an offer shows, the last one for good. */
  standings: Fields[] = [{ state: 'live' }];
  reports: Record<string, Fields> = {};
  earnings: Fields = {};
  registered = true;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<StubMarket> {
    const server = createServer();
    const market = new StubMarket(server);
    server.on('request', (request, response) => void market.handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    market.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return market;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const { pathname } = new URL(request.url ?? '', this.url);
    if (pathname.startsWith('/v1/providers/') && this.offers.size > 0 && this.brokenPolls > 0) {
      this.brokenPolls--;
      return void response.destroy();
    }
    const refusal = request.method === 'POST' ? this.refusals.shift() : undefined;
    if (refusal) return refuse(response, refusal);
    const body = parts.length === 0 ? {} : (JSON.parse(Buffer.concat(parts).toString()) as Fields);
    const reply = request.method === 'POST' ? this.take(pathname, body) : this.show(pathname, request);
    if (reply === undefined) return refuse(response, { status: 404, message: 'not found' });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  }

  private show(path: string, { headers }: IncomingMessage): Fields | undefined {
    if (path === '/v1/supply/terms')
      return { domain: this.domain, limits: { max_offer_seconds: 31_536_000 } };
    const certification = /^\/v1\/certifications\/(.+)$/.exec(path)?.[1];
    if (certification !== undefined) return this.reports[certification];
    if (path.endsWith('/earnings')) return this.isAccess(headers.authorization) ? this.earnings : undefined;
    if (!path.startsWith('/v1/providers/') || !this.registered) return undefined;
    const standing = this.standings.length > 1 ? this.standings.shift() : this.standings[0];
    const offers = [...this.offers.values()].map((offer) => ({ ...offer, ...standing }));
    return {
      provider: path.split('/')[3],
      name: 'Ada',
      registered_at: '',
      nonce: this.nonce,
      suspension: null,
      offers,
    };
  }

  private take(path: string, body: Fields): Fields | undefined {
    const withdrawn = /^\/v1\/offers\/(.+)\/withdraw$/.exec(path)?.[1];
    const type = withdrawn ? 'Withdrawal' : path === '/v1/offers' ? 'Offer' : 'Registration';
    this.verify(type, { ...body, ...(withdrawn && { offer_id: withdrawn }) });
    this.nonce = Number(body.nonce);
    this.acts.push({ type, path, body });
    if (withdrawn) {
      this.offers.set(withdrawn, { ...this.offers.get(withdrawn), state: 'withdrawn' });
      return this.offers.get(withdrawn);
    }
    if (type === 'Registration') {
      this.registered = true;
      return {};
    }
    return this.keepOffer(body);
  }

  private keepOffer(body: Fields): Fields {
    const id = offerIdOf(String(body.provider), String(body.bundle), String(body.profile));
    const version = Number(this.offers.get(id)?.version ?? 0) + 1;
    const offer = {
      ...{ offer_id: id, version, live_version: version, state: 'certifying', health: {} },
      ...{ model: body.model, bundle: body.bundle, profile: body.profile },
      ...{
        input_price_per_mtok: body.input_price_per_mtok,
        output_price_per_mtok: body.output_price_per_mtok,
      },
      expires_at: new Date(Number(body.expires_at) * 1_000).toISOString(),
    };
    this.offers.set(id, offer);
    return offer;
  }

  /** @throws Error for a signature that is not the provider's: the command's own fault */
  private verify(type: Exclude<keyof SupplyMessages, 'Access'>, body: Fields): void {
    const types: Record<string, { name: string; type: string }[]> = SUPPLY_TYPES[type];
    const fields = (types[type] ?? []).map(({ name }) => [name, body[inSnakeCase(name)]] as const);
    const signer = verifyTypedData(this.domain, types, Object.fromEntries(fields), String(body.signature));
    if (signer.toLowerCase() !== body.provider) throw new Error('wrongly signed');
  }

  private isAccess(header = ''): boolean {
    const text = Buffer.from(header.replace('Wallet ', ''), 'base64url').toString();
    const { provider, issued_at: issuedAt, expires_at: expiresAt, signature } = JSON.parse(text) as Fields;
    const message = { provider, issuedAt, expiresAt };
    const signer = verifyTypedData(this.domain, SUPPLY_TYPES.Access, message, String(signature));
    return signer.toLowerCase() === provider;
  }
}

function refuse(response: ServerResponse, { status, message = 'no', param = null, headers }: Refusal): void {
  const error = { message, type: 'invalid_request_error', code: 'invalid_request', param };
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify({ error }));
}

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
