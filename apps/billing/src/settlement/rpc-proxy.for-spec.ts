import { createServer, request } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the proxy does with a call: pass it on, do so and lose the answer, or swallow it. */
export type Treatment = 'pass' | 'lose_answer' | 'swallow';

/** Stands before a chain and treats the calls of one method badly; `calls` are all that went through or were lost. */
export class RpcProxy {
  treatment: Treatment = 'pass';
  method = '';
  readonly treated: string[] = [];
  /** Who answers calls that contain a text, if it is another server. */
  private readonly elsewhere = new Map<string, URL>();

  private constructor(
    private target: URL,
    private readonly server: Server,
  ) {
    server.on('request', (incoming, outgoing) => void this.handle(incoming, outgoing));
  }

  static async before(rpcUrl: string): Promise<RpcProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new RpcProxy(new URL(rpcUrl), server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on calls of `method` are treated like this. */
  treat(method: string, treatment: Treatment): void {
    this.method = method;
    this.treatment = treatment;
  }

  /** From now on the server at `rpcUrl` answers everything. */
  answerFrom(rpcUrl: string): void {
    this.target = new URL(rpcUrl);
    this.elsewhere.clear();
  }

  /** From now on it answers calls that contain `text` (a method, a block's hash). */
  answerSomeFrom(rpcUrl: string, text: string): void {
    this.elsewhere.set(text, new URL(rpcUrl));
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const call = body.toString();
    const { method } = JSON.parse(call) as { method: string };
    const treatment = method === this.method ? this.treatment : 'pass';
    if (treatment !== 'pass') this.treated.push(method);
    if (treatment === 'swallow') return void outgoing.destroy();
    const [, server = this.target] = [...this.elsewhere].find(([text]) => call.includes(text)) ?? [];
    const forwarded = request(
      server,
      { method: 'POST', headers: { 'content-type': 'application/json' } },
      (answer) => {
        if (treatment === 'lose_answer') {
          answer.resume();
          answer.on('end', () => outgoing.destroy());
          return;
        }
        outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': 'application/json' });
        answer.pipe(outgoing);
      },
    );
    forwarded.on('error', () => outgoing.destroy());
    forwarded.end(body);
  }
}
