import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many requests may wait on a connection; no client that means well sends as many ahead. */
export const MOST_WAITING = 64;

/**
 * Requests that came before earlier ones of their connection were answered (pipelining: RFC 9112, section 9.3.2). Each is served once all
 * before it are: whoever leaves meanwhile has seen nothing of it and owes nothing, and no reply is kept that nobody can read yet.
 */
export class PipelinedRequests {
  private readonly waiting = new WeakMap<Socket, number>();

  /**
   * @param raw the reply, which has no socket before its turn
   * @param begin called when it has; never when the connection ends before
   * @returns false when too many wait already: their connection is closed, and the request is not to be served
   */
  queue(raw: ServerResponse, socket: Socket, begin: () => void): boolean {
    const ahead = this.waiting.get(socket) ?? 0;
    if (ahead >= MOST_WAITING) {
      // Node goes on with what it has read of the connection: this is called for each request of it.
      socket.destroy();
      return false;
    }
    this.waiting.set(socket, ahead + 1);
    raw.once('socket', () => {
      this.waiting.set(socket, (this.waiting.get(socket) ?? 1) - 1);
      begin();
    });
    return true;
  }
}
