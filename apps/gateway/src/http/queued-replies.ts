import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** As many replies wait on a connection; no client that means well sends so many requests ahead. */
export const MOST_QUEUED = 64;

/**
 * Replies that wait for their turn behind earlier ones of their connection (pipelining: RFC 9112, section 9.3.2). When a connection
 * ends, Node 20 closes only the reply that has its socket; whoever waits for the others to close would wait for ever.
 */
export class QueuedReplies {
  private readonly waiting = new WeakMap<Socket, Set<ServerResponse>>();

  /**
   * Closes a reply that has no socket yet with its connection. From its turn on, Node does.
   * @returns false when too many wait already: their connection is closed, and the request is not to be served
   */
  watch(raw: ServerResponse, socket: Socket): boolean {
    const replies = this.waiting.get(socket) ?? this.follow(socket);
    if (replies.size >= MOST_QUEUED) {
      // Node goes on with what it has read of the connection: this is called for each request of it.
      socket.destroy();
      return false;
    }
    replies.add(raw);
    raw.once('socket', () => replies.delete(raw));
    return true;
  }

  /** What was written of those that wait on a connection; none of it is in the connection's own count. */
  writtenBytes(socket: Socket): number {
    let bytes = 0;
    for (const { writableLength } of this.waiting.get(socket) ?? []) bytes += writableLength;
    return bytes;
  }

  /** One listener a connection, however many requests it brings. */
  private follow(socket: Socket): Set<ServerResponse> {
    const replies = new Set<ServerResponse>();
    this.waiting.set(socket, replies);
    socket.once('close', () => replies.forEach(close));
    return replies;
  }
}

function close(raw: ServerResponse): void {
  raw.destroy();
  // Node 24 does the same, and has told it by then.
  process.nextTick(() => {
    if (!raw.closed) raw.emit('close');
  });
}
