import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { drainOnClose } from './connection-drain';

describe('drainOnClose', () => {
  it('answers what is under way, then closes kept-alive and unused connections', async () => {
    const answer: (() => void)[] = [];
    const server = createServer((request, response) => {
      if (request.url === '/now') response.end('now');
      else answer.push(() => response.end('later'));
    });
    const drain = drainOnClose(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;

    const open = async (path?: string): Promise<{ socket: Socket; closed: Promise<string> }> => {
      const socket = connect(port, '127.0.0.1');
      const accepted = once(server, 'connection');
      let text = '';
      socket.on('data', (part: Buffer) => (text += part.toString()));
      const closed = once(socket, 'close').then(() => text);
      await accepted;
      if (path) socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
      return { socket, closed };
    };
    const unused = await open();
    const idle = await open('/now');
    await once(idle.socket, 'data');
    const asked = once(server, 'request');
    const busy = await open('/later');
    await asked;

    const closed = once(server, 'close');
    drain();
    server.close();
    expect(await unused.closed).toBe('');
    expect(await idle.closed).toMatch(/now$/);
    answer[0]?.();
    expect(await busy.closed).toMatch(/later/);
    await closed;
  });
});
