import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { ReplyClock } from './reply-clock';

describe('ReplyClock', () => {
  it.each([
    ['silence', { firstTokenTimeoutMs: 20, chunkTimeoutMs: 60_000, totalTimeoutMs: 60_000 }],
    ['too long', { firstTokenTimeoutMs: 60_000, chunkTimeoutMs: 60_000, totalTimeoutMs: 20 }],
  ])('calls nothing %s that came while this process stood still', async (_, patience) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const provider = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [other] = await provider;
    const overdue = jest.fn();
    const clock = new ReplyClock(patience, () => undefined, overdue);
    socket.on('data', () => clock.noteProgress());
    other.write('word');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100);
    await once(socket, 'data');
    await setImmediate();
    expect(overdue).not.toHaveBeenCalled();
    clock.stop();
    socket.destroy();
    other.destroy();
    server.close();
  });

  it('calls nothing silence while nobody read, also when reading goes on just as its time is up', () => {
    jest.useFakeTimers();
    const overdue = jest.fn();
    const patience = { firstTokenTimeoutMs: 1_000, chunkTimeoutMs: 100, totalTimeoutMs: 60_000 };
    const clock = new ReplyClock(patience, () => undefined, overdue);
    clock.noteProgress();
    clock.pause();
    // Credit comes between the timer and the last look.
    setTimeout(() => clock.resume(), 100);
    jest.advanceTimersByTime(150);
    expect(overdue).not.toHaveBeenCalled();
    jest.advanceTimersByTime(60);
    expect(overdue).toHaveBeenCalledWith('chunk_timeout');
    clock.stop();
    jest.useRealTimers();
  });
});
