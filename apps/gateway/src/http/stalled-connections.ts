import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A client that takes nothing for so long is cut off. */
const WRITE_STALL_MS = 30_000;

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
 * Clients that take nothing of what waits for them are cut off, whatever it is. Otherwise they could stay for ever: in the places of others,
 * and in the way of a shutdown. Connections are looked at, not replies, so that a request costs nothing.
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
    for (const socket of this.open) {
      // So it is on nearly all.
      if (socket.writableLength === 0) continue;
      const { _handle: handle } = socket as unknown as { _handle: Handle | null };
      // Closed just now, or what was written in this very turn of the event loop has yet to be given to the system.
      if (!handle?.writeQueueSize) continue;
      const takenBytes = handle.bytesWritten - handle.writeQueueSize;
      const wait = this.waits.get(socket);
      if (wait?.takenBytes !== takenBytes) this.waits.set(socket, { takenBytes, sinceMs: nowMs });
      else if (nowMs - wait.sinceMs >= WRITE_STALL_MS) socket.destroy();
    }
  }
}
