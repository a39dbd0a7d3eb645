import type { Socket } from 'node:net';
import { TestTcpServer } from '../honest-provider/test-server';

const AT_ONCE = 16;

/** Begins a reply and never comes to the end of its headers, each of which is harmless. */
export class EndlessHeaders extends TestTcpServer {
  protected reply(socket: Socket): void {
    socket.write('HTTP/1.1 200 OK\r\n');
    let count = 0;
    const more = () => Array.from({ length: AT_ONCE }, () => `x-header-${count++}: ${'y'.repeat(100)}\r\n`);
    const timer = setInterval(() => socket.write(more().join('')), 1);
    socket.once('close', () => clearInterval(timer));
  }
}
