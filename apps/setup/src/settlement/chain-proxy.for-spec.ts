import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of a call: it never gets there, its answer is lost, or the answer is another. */
export type Fault = 'swallow' | 'lose_answer' | ((result: unknown, parameters: unknown[]) => unknown);

/** Stands before a chain's server and answers some methods badly. */
export class ChainProxy {
  readonly faults = new Map<string, Fault>();
  /** Methods, in the order they were asked. */
  readonly asked: string[] = [];

  private constructor(
    private readonly target: string,
    private readonly server: Server,
  ) {
    server.on('request', (incoming, outgoing) => void this.handle(incoming, outgoing));
  }

  static async before(target: string): Promise<ChainProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ChainProxy(target, server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
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
    if (fault === 'swallow') return void outgoing.destroy();
    const response = await fetch(this.target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const answer = (await response.json()) as { result?: unknown };
    if (fault === 'lose_answer') return void outgoing.destroy();
    const told = fault ? { ...answer, result: fault(answer.result, params) } : answer;
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(told));
  }
}
