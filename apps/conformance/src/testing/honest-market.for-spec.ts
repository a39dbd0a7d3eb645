import { isUtf8 } from 'node:buffer';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateApiKey } from '@svc/api-key';
import type { EnvironmentName } from '../target/environment-terms';
import { HonestDesk } from './honest-desk.for-spec';
import type { Draft, HonestKeys } from './honest-desk.for-spec';

const MOST_BODY_BYTES = 4 * 1024 * 1024;

/** A reply on its way out, and what it answers. */
export type Deviate = (
  draft: Draft,
  asked: { method: string; path: string; body: unknown },
) => Draft | undefined;

/**
 * A small server that keeps every promise of the interface, unless it is told how to break one. It shares the checks of a request's
 * shape with the gateway; everything else is its own.
 */
export class HonestMarket {
  readonly keys: HonestKeys;
  /** Changes each reply; undefined leaves it. */
  deviate: Deviate = () => undefined;
  private readonly desk: HonestDesk;
  private readonly server: Server;
  private requests = 0;

  constructor(environment: EnvironmentName) {
    const prefix = environment === 'testnet' ? 'svc_test_' : 'svc_live_';
    const [good, poor, suspended, revoked] = Array.from({ length: 4 }, () => generateApiKey(prefix));
    this.keys = { good: good ?? '', poor: poor ?? '', suspended: suspended ?? '', revoked: revoked ?? '' };
    this.desk = new HonestDesk(environment, this.keys);
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Breaks a promise that no single reply shows. */
  get habits(): HonestDesk['habits'] {
    return this.desk.habits;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const announced = Number(request.headers['content-length'] ?? 0);
    const bytes = announced > MOST_BODY_BYTES ? Buffer.alloc(0) : await read(request);
    const text = isUtf8(bytes) ? bytes.toString('utf8') : undefined;
    const [method, path] = [request.method ?? '', (request.url ?? '').replace(/^\/v1/, '')];
    const honest = this.desk.answer({
      ...{ method, path, headers: request.headers, text, tooLarge: announced > MOST_BODY_BYTES },
      requestId: `req_${++this.requests}`,
    });
    const draft = this.deviate(honest, { method, path, body: parsed(text) }) ?? honest;
    response.writeHead(draft.status, draft.headers);
    response.end(draft.body);
  }
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '') as unknown;
  } catch {
    return undefined;
  }
}
