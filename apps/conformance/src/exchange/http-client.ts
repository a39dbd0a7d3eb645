import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Deviation } from '../deviation';
import { Exchange } from './exchange';
import type { Question } from './exchange';

/** The longest that a reply may take, and be silent. */
const TIMEOUT_MS = 120_000;
/** A reply larger than this is no reply to anything that the suite asks. */
const MOST_REPLY_BYTES = 32 * 1024 * 1024;

/** Speaks HTTP with one target: what a case words is sent byte for byte, and what comes back is kept so. */
export class HttpClient {
  private readonly agent: HttpAgent | HttpsAgent;
  private readonly isTls: boolean;

  /** @param baseUrl with the path prefix, e.g. `http://127.0.0.1:8080/v1` */
  constructor(
    private readonly baseUrl: URL,
    private readonly apiKey: string,
  ) {
    this.isTls = baseUrl.protocol === 'https:';
    this.agent = this.isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  }

  close(): void {
    this.agent.destroy();
  }

  /** @throws Deviation when there is no reply to it */
  async send(question: Question): Promise<Exchange> {
    const method = question.method ?? (question.body === undefined ? 'GET' : 'POST');
    const path = `${this.baseUrl.pathname.replace(/\/$/, '')}${question.path}`;
    const sent = { ...question, method, url: `${this.baseUrl.origin}${path}` };
    const bytes = bytesOf(question.body);
    const announces = question.announcedBytes !== undefined;
    const headers = {
      ...(bytes && { 'content-type': 'application/json' }),
      ...this.authorizationOf(question),
      ...question.headers,
      ...(bytes && { 'content-length': question.announcedBytes ?? bytes.length }),
    };
    const { hostname, port } = this.baseUrl;
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    // A connection whose announced body never comes is nobody else's.
    const agent = announces ? false : this.agent;
    const options = { host, port, method, path, headers, agent, timeout: TIMEOUT_MS };
    const outgoing = this.isTls ? requestHttps(options) : requestHttp(options);
    if (announces) outgoing.write(bytes ?? '');
    else outgoing.end(bytes);
    try {
      const { reply, body } = await replyTo(outgoing, question.hangUpAt);
      return new Exchange(sent, reply.statusCode ?? 0, reply.headers, body);
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      throw new Deviation(`no whole reply to ${method} ${sent.url}: ${cause}`);
    } finally {
      if (announces) outgoing.destroy();
    }
  }

  private authorizationOf({ authorization }: Question): { authorization?: string } {
    if (authorization === null) return {};
    return { authorization: authorization ?? `Bearer ${this.apiKey}` };
  }
}

function bytesOf(body: Question['body']): Uint8Array | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function replyTo(
  outgoing: ClientRequest,
  hangUpAt?: RegExp,
): Promise<{ reply: IncomingMessage; body: Buffer }> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error(`silent for ${TIMEOUT_MS / 1_000} s`)));
    outgoing.on('response', (reply) => {
      const pieces: Buffer[] = [];
      let length = 0;
      reply.on('data', (piece: Buffer) => {
        pieces.push(piece);
        length += piece.length;
        if (hangUpAt?.test(Buffer.concat(pieces).toString('utf8'))) {
          resolve({ reply, body: Buffer.concat(pieces) });
          outgoing.destroy();
        }
        if (length > MOST_REPLY_BYTES) reply.destroy(new Error('the reply is too large'));
      });
      reply.on('error', reject);
      reply.on('end', () => resolve({ reply, body: Buffer.concat(pieces) }));
    });
  });
}
