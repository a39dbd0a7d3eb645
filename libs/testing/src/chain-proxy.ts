import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Thrown by a fault that answers with an error: what a node says that does not do what it was asked. */
export class NodeRefusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** What becomes of a call: it never gets there, its answer is lost, or the answer is another, or a refusal. */
type ChainFault = 'swallow' | 'lose_answer' | ((result: unknown, parameters: unknown[]) => unknown);

const JSON_TYPE = { 'content-type': 'application/json' };

/** Stands before a chain's server and answers some methods badly, or lets another server answer. */
export class ChainProxy {
  readonly faults = new Map<string, ChainFault>();
  /** Methods, in the order they were asked. */
  readonly asked: string[] = [];
  /** Those of them that met a fault. */
  readonly treated: string[] = [];
  /** Who answers calls that contain a text, if it is another server. */
  private readonly elsewhere = new Map<string, string>();

  private constructor(
    private target: string,
    private readonly server: Server,
  ) {
    server.on('request', (incoming, outgoing) => {
      this.handle(incoming, outgoing).catch(() => outgoing.destroy());
    });
  }

  static async before(rpcUrl: string): Promise<ChainProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ChainProxy(rpcUrl, server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on the server at `rpcUrl` answers everything. */
  answerFrom(rpcUrl: string): void {
    this.target = rpcUrl;
    this.elsewhere.clear();
  }

  /** From now on it answers calls that contain `text` (a method, a block's hash). */
  answerSomeFrom(rpcUrl: string, text: string): void {
    this.elsewhere.set(text, rpcUrl);
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method, params } = JSON.parse(body) as { method: string; params: unknown[] };
    this.asked.push(method);
    const fault = this.faults.get(method);
    if (fault !== undefined) this.treated.push(method);
    if (fault === 'swallow') return void outgoing.destroy();
    const [, server = this.target] = [...this.elsewhere].find(([text]) => body.includes(text)) ?? [];
    const response = await fetch(server, { method: 'POST', headers: JSON_TYPE, body });
    const answer = await response.text();
    if (fault === 'lose_answer') return void outgoing.destroy();
    outgoing.writeHead(response.status, JSON_TYPE).end(fault ? changed(answer, fault, params) : answer);
  }
}

function changed(answer: string, fault: Exclude<ChainFault, string>, params: unknown[]): string {
  const { result, ...told } = JSON.parse(answer) as { result?: unknown };
  try {
    return JSON.stringify({ ...told, result: fault(result, params) });
  } catch (error) {
    if (!(error instanceof NodeRefusal)) throw error;
    return JSON.stringify({ ...told, error: { code: error.code, message: error.message } });
  }
}
