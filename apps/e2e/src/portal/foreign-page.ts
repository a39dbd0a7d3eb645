import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A page of somebody else's, at another site than the portal's: `localhost` is none of 127.0.0.1's. */
export class ForeignPage {
  private constructor(private readonly server: Server) {}

  static async open(html: string): Promise<ForeignPage> {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ForeignPage(server);
  }

  get url(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
