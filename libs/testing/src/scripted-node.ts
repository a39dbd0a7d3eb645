import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Question {
  readonly id: number;
  readonly method: string;
  readonly params: readonly { readonly data?: string }[];
}

/**
 * A server of chain 1 that says what a test has it say, among it what a real one says only when it is busy or broken. `ChainProxy` stands
 * before a real one.
 */
export class ScriptedNode {
  private constructor(private readonly server: Server) {}

  /** @param answer what it says to a question, besides the question's id, unless this has another: `{ result }` or `{ error }` */
  static async start(answer: (method: string, params: Question['params']) => object): Promise<ScriptedNode> {
    const server = createServer((request, response) => {
      void json(request).then((body) => {
        const { id, method, params } = body as Question;
        const said = method === 'eth_chainId' ? { result: '0x1' } : answer(method, params);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ScriptedNode(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
