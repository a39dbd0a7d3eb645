import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { HonestProvider } from '../honest-provider/honest-provider';

/**
 * An endpoint as an offer names it. Behind it is an honest server, which is certified; afterwards it leads to whoever is to be
 * tested, byte for byte.
 */
export class Doorway {
  private relay: Server | undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly honest: HonestProvider) {}

  /** @param places how many requests at once the honest server takes */
  static async open(places: number): Promise<Doorway> {
    return new Doorway(await new HonestProvider(places).start());
  }

  get url(): string {
    return this.honest.url;
  }

  /** From now on the endpoint is that server's; nobody is there if nobody is there, or it is nobody's. */
  async leadTo(target: string | undefined): Promise<void> {
    await this.honest.stop();
    await this.shut();
    if (target === undefined) return;
    const port = Number(new URL(target).port);
    if (!(await listens(port))) return;
    this.relay = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.pass(client, port));
    const { relay, url } = this;
    await new Promise<void>((resolve) => relay.listen(Number(new URL(url).port), '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    await this.honest.stop();
    await this.shut();
  }

  private async shut(): Promise<void> {
    const { relay } = this;
    if (!relay) return;
    this.relay = undefined;
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => relay.close(resolve));
  }

  private pass(client: Socket, port: number): void {
    const server = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    this.join(client, server);
    this.join(server, client);
  }

  /** What one side sends, ends or breaks off, the other is told. */
  private join(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.pipe(to);
    from.on('error', () => to.resetAndDestroy());
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroySoon();
    });
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
