import { randomBytes } from 'node:crypto';
import { ErrorCode, NatsError, connect } from 'nats';
import type { NatsConnection } from 'nats';
import { INSTANCE_ID_LENGTH } from '@svc/contracts';
import { rememberMaxPayload } from './max-payload';
import { keepToOneConnection } from './one-connection';

/** How a process reaches NATS. */
interface NatsOptions {
  /** One URL or several, comma separated. Where one begins with `tls://`, nothing is said to any server but over TLS. */
  natsUrl: string;
  natsUser?: string;
  natsPassword?: string;
  /** What operators set user and password by, for the error when they are refused. */
  loginIsFrom?: string;
  /** Each server is tried once, instead of again and again until one answers: somebody sits and waits. */
  tryOnce?: boolean;
}

/** A process's connection to NATS, with the name under which others answer it. */
export interface Messaging {
  /** The service's name, e.g. `gateway`: its NATS user may listen on this inbox prefix only. */
  service: string;
  /** Eight characters that tell this process from its replicas. */
  instanceId: string;
  connection: NatsConnection;
}

/**
 * Connects once per process and stays connected: reconnects for ever, with jitter.
 * @throws NatsError when the first connection is refused for its credentials; with `tryOnce` also when there is none
 */
export async function connectMessaging(service: string, options: NatsOptions): Promise<Messaging> {
  const instanceId = randomBytes(INSTANCE_ID_LENGTH / 2).toString('hex');
  const servers = options.natsUrl.split(',').map((server) => server.trim());
  const connection = await connect({
    servers,
    // The client reads no scheme: unasked it takes TLS from a server that offers it, and sends the password in the clear to one that does not.
    ...(servers.some((server) => server.startsWith('tls://')) && { tls: {} }),
    ...(options.natsUser !== undefined && { user: options.natsUser, pass: options.natsPassword ?? '' }),
    name: `${service}-${instanceId}`,
    inboxPrefix: `_INBOX.${service}`,
    maxReconnectAttempts: -1,
    waitOnFirstConnect: !options.tryOnce,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 5_000,
    maxPingOut: 2,
  }).catch((error: unknown) => {
    throw inWords(error, options);
  });
  keepToOneConnection(connection);
  rememberMaxPayload(connection);
  return { service, instanceId, connection };
}

/** The client says of a server without TLS no more than `tls`, and of a refused login not which one. */
function inWords(error: unknown, { natsUser, loginIsFrom }: NatsOptions): unknown {
  if (!(error instanceof NatsError)) return error;
  if (error.code === String(ErrorCode.ServerOptionNotAvailable))
    return new NatsError('the server has no TLS, which the URL asks for (tls://)', error.code, error);
  if (error.code === String(ErrorCode.AuthorizationViolation) && loginIsFrom !== undefined)
    return new NatsError(
      `the server refuses the login: ${loginIsFrom} are ${natsUser === undefined ? 'not set' : 'not what it knows'}`,
      error.code,
      error,
    );
  return error;
}
