import type { Socket } from 'node:net';
import { TestTcpServer } from '../honest-provider/test-server';

const HEADER_BYTES = 8 * 1024 * 1024;

/** One header of eight megabytes, then an answer that would be right. */
export class HugeHeader extends TestTcpServer {
  protected reply(socket: Socket): void {
    socket.write(`HTTP/1.1 200 OK\r\nx-header: ${'y'.repeat(HEADER_BYTES)}\r\n`);
    socket.end('content-type: application/json\r\ncontent-length: 2\r\n\r\n{}');
  }
}
