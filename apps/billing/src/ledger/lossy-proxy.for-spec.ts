import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** Stands between a client and the database and can lose an answer: the server did the work, the client never hears. */
export class LossyProxy {
  private losing = false;
  private readonly sockets = new Set<Socket>();
  lost = 0;

  private constructor(private readonly target: URL) {}

  static async before(databaseUrl: string): Promise<{ proxy: LossyProxy; url: string; close: () => void }> {
    const proxy = new LossyProxy(new URL(databaseUrl));
    const server = createServer((socket) => proxy.join(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(databaseUrl);
    url.port = String((server.address() as AddressInfo).port);
    const close = () => {
      server.close();
      for (const socket of proxy.sockets) socket.destroy();
    };
    return { proxy, url: url.href, close };
  }

  /** The next thing the server says is lost, and the connection with it. */
  loseNextAnswer(): void {
    this.losing = true;
  }

  private join(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        server.destroy();
      });
    }
    client.on('data', (data) => server.write(data));
    server.on('data', (data) => {
      if (!this.losing) return client.write(data);
      this.losing = false;
      this.lost++;
      client.destroy();
      return server.destroy();
    });
  }
}
