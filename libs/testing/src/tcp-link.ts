import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { freePort } from '@svc/local-servers';

/** A way to a server on this machine, which can be cut while everybody else's holds. */
export class TcpLink {
  private readonly sockets = new Set<Socket>();
  /** Of those, the ones to the server. */
  private readonly farSockets = new Set<Socket>();
  private isCut = false;
  /** How often somebody came while it was cut. */
  refusals = 0;

  private constructor(
    private readonly server: Server,
    private readonly to: string,
  ) {}

  /**
   * @param to the server's URL; of it host and port count
   * @param port where the link listens; unless told, any that is given to no connection: nobody else has it once the link is closed
   */
  static async open(to: string, port?: number): Promise<TcpLink> {
    const { hostname, port: farPort } = new URL(to);
    const server = createServer();
    port ??= await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const link = new TcpLink(server, to);
    server.on('connection', (socket) => link.join(socket, connect(Number(farPort), hostname)));
    return link;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The server's URL, by this way. */
  get url(): string {
    const url = new URL(this.to);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Breaks the link and keeps it broken. */
  cut(): void {
    this.isCut = true;
    this.drop();
  }

  restore(): void {
    this.isCut = false;
  }

  /** What the server says stays on the way until `letThrough`; what is said to it does not. */
  holdBack(): void {
    for (const socket of this.farSockets) socket.pause();
  }

  /** Nor does what is said to the server come through, not even that somebody hangs up. */
  swallow(): void {
    for (const socket of this.sockets) socket.pause();
  }

  letThrough(): void {
    for (const socket of this.farSockets) socket.resume();
  }

  /** Ends the connections that there are; others may come. */
  drop(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Nobody listens any more once it resolves. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.cut();
    await closed;
  }

  private join(near: Socket, far: Socket): void {
    this.farSockets.add(far);
    far.on('close', () => this.farSockets.delete(far));
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
    if (!this.isCut) return;
    this.refusals++;
    near.destroy();
  }
}
