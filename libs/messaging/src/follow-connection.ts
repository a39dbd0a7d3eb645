import { Events } from 'nats';
import type { NatsConnection } from 'nats';

/** What is to happen. What fails in here ends the process, as whatever nobody catches does. */
interface ConnectionFollower {
  /** The connection is lost: what was on its way may be too. May be told again before it is back. */
  onLost?(): void;
  /** It stands again. What comes next is told when this is done. */
  onBack?(): void | Promise<unknown>;
}

/** Tells of each time the connection is lost or stands again, from now on until it is closed for good. */
export function followConnection(connection: NatsConnection, follower: ConnectionFollower): void {
  void tell(connection, follower);
}

async function tell(connection: NatsConnection, follower: ConnectionFollower): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === Events.Disconnect) follower.onLost?.();
    if (type === Events.Reconnect) await follower.onBack?.();
  }
}
