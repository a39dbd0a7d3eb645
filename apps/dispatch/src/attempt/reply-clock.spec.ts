import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { ReplyClock } from './reply-clock';

describe('ReplyClock', () => {
  it('calls nothing silence that came while this process stood still', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const provider = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [other] = await provider;
    const overdue = jest.fn();
    const patience = { firstTokenTimeoutMs: 20, chunkTimeoutMs: 60_000, totalTimeoutMs: 60_000 };
    const clock = new ReplyClock(patience, overdue);
    socket.on('data', () => clock.noteProgress());
    other.write('word');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 40);
    await once(socket, 'data');
    await setImmediate();
    expect(overdue).not.toHaveBeenCalled();
    clock.stop();
    socket.destroy();
    other.destroy();
    server.close();
  });
});
