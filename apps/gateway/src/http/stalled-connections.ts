import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { CLIENT_STALL_MS, RUN_CREDIT_BYTES } from '@svc/contracts';

/**
 * What all connections together may leave unread of replies that came in one piece, as stored ones do. Each has a limit of its own, some megabytes, and a
 * client that takes a byte now and then may keep it; many at once would have none.
 */
const MOST_UNREAD_BYTES = 256 * 1024 * 1024;

/** As much of Node's handle of a connection as its own timeouts look at (`_onTimeout` in Node's net.js). */
interface Handle {
  /** All that was written, with what the system has not taken yet. */
  bytesWritten: number;
  /** What the system has not taken yet; it grows less within one long write as well. */
  writeQueueSize: number;
}

/** A connection whose client has yet to take something. */
interface Wait {
  takenBytes: number;
  sinceMs: number;
}

/**
 * Clients that take nothing of what waits for them are cut off, whatever it is, and those with the most where all of it is too much.
 * Otherwise they could stay for ever: in the places of others, in memory, and in the way of a shutdown. Connections are looked at, not
 * replies, so that a request costs nothing.
 */
export class StalledConnections {
  private readonly open = new Set<Socket>();
  private readonly waits = new WeakMap<Socket, Wait>();

  follow(server: Server): void {
    server.on('connection', (socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
  }

  /** Called a few times a second. */
  sweep(nowMs: number): void {
    const large: Socket[] = [];
    for (const socket of this.open) {
      // So it is on nearly all.
      if (socket.writableLength === 0) continue;
      if (unreadBytes(socket) > 0) large.push(socket);
      const { _handle: handle } = socket as unknown as { _handle: Handle | null };
      // Closed just now, or what was written in this very turn of the event loop has yet to be given to the system.
      if (!handle?.writeQueueSize) continue;
      const takenBytes = handle.bytesWritten - handle.writeQueueSize;
      const wait = this.waits.get(socket);
      if (wait?.takenBytes !== takenBytes) this.waits.set(socket, { takenBytes, sinceMs: nowMs });
      else if (nowMs - wait.sinceMs >= CLIENT_STALL_MS) socket.destroy();
    }
    makeRoom(large);
  }
}

/** Beyond what a stream whose client is slow leaves unread. */
function unreadBytes(socket: Socket): number {
  return socket.destroyed ? 0 : Math.max(0, socket.writableLength - RUN_CREDIT_BYTES);
}

function makeRoom(sockets: Socket[]): void {
  let unread = sockets.reduce((bytes, socket) => bytes + unreadBytes(socket), 0);
  if (unread <= MOST_UNREAD_BYTES) return;
  for (const socket of sockets.toSorted((a, b) => unreadBytes(b) - unreadBytes(a))) {
    unread -= unreadBytes(socket);
    socket.destroy();
    if (unread <= MOST_UNREAD_BYTES) return;
  }
}
