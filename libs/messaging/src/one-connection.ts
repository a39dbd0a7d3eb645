import type { NatsConnection } from 'nats';

/** What of the client's own is touched here. */
interface Protocol {
  connected: boolean;
  readonly transport: { readonly isClosed: boolean; readonly connected: boolean };
  disconnected(error?: Error): Promise<void>;
}

/**
 * Keeps the client to one connection. It leaves open what it gave up because the server took too long to answer (one that stands still, a
 * network that was gone). When that server answers after all, and closes it again since nobody logs in there, the client believes that it
 * has lost the connection that it has by then, and makes another beside it without closing that. Every message then comes twice, over two
 * connections that are read as if they were one, so that calls get what was said to others.
 */
export function keepToOneConnection(connection: NatsConnection): void {
  const { protocol } = connection as unknown as { protocol: Protocol };
  const disconnected = protocol.disconnected.bind(protocol);
  protocol.disconnected = async (error) => {
    const { transport } = protocol;
    if (transport.isClosed || !transport.connected) return disconnected(error);
    // Another than the one in use was closed; the client has noted that it has none.
    protocol.connected = true;
  };
}
