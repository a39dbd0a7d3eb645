import type { NatsConnection } from 'nats';
import { followConnection } from './follow-connection';

/** What NATS takes unless it is configured otherwise. */
const USUAL_MAX_PAYLOAD_BYTES = 1024 * 1024;

const remembered = new WeakMap<NatsConnection, number>();

/** While it dials, the client has forgotten what its server takes: from here on that is remembered until another says otherwise. */
export function rememberMaxPayload(connection: NatsConnection): void {
  const remember = () => {
    if (connection.info) remembered.set(connection, connection.info.max_payload);
  };
  remember();
  followConnection(connection, { onBack: remember });
}

/** The largest message that NATS takes, bytes; while it is away, that it took. */
export function maxPayloadOf(connection: NatsConnection): number {
  return connection.info?.max_payload ?? remembered.get(connection) ?? USUAL_MAX_PAYLOAD_BYTES;
}
