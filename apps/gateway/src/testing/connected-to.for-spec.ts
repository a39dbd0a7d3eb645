import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** Has the server listen on a free port. @returns a connection to it */
export async function connectedTo(server: Server): Promise<Socket> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return connect((server.address() as AddressInfo).port, '127.0.0.1');
}
