// An endpoint as an offer names it. It leads to an honest engine, which is certified, and afterwards to whoever is to be tried, byte for byte.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export class Doorway {
  #sockets = new Set();
  #target;
  #server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#pass(client));

  /** @param target URL of where it leads until told otherwise */
  static async open(target) {
    const doorway = new Doorway();
    doorway.#target = new URL(target);
    doorway.#server.listen(0, '127.0.0.1');
    await once(doorway.#server, 'listening');
    return doorway;
  }

  /** The target's URL by this way. */
  get url() {
    const url = new URL(this.#target);
    url.port = String(this.#server.address().port);
    return url.href;
  }

  /** From now on it leads there: over no connection that was made before. */
  leadTo(target) {
    this.#target = new URL(target);
    for (const socket of this.#sockets) socket.destroy();
  }

  stop = () => {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  };

  #pass(client) {
    const far = connect({
      ...{ port: Number(this.#target.port), host: '127.0.0.1' },
      ...{ allowHalfOpen: true, noDelay: true },
    });
    this.#join(client, far);
    this.#join(far, client);
  }

  /** What one side sends, ends or breaks off, the other is told. */
  #join(from, to) {
    this.#sockets.add(from);
    from.pipe(to);
    from.on('error', () => to.resetAndDestroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroySoon();
    });
  }
}
