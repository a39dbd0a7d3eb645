import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gatheredOutput } from './logger';

describe('gatheredOutput', () => {
  it('ends no process when a log cannot be written, as on a full disk', () => {
    const output = gatheredOutput();
    expect(() => output.emit('error', new Error('ENOSPC: no space left on device, write'))).not.toThrow();
    output.write('waits\n');
    // Of a full disk it would be tried for ever.
    output.flushSync();
    output.destroy();
  });

  it('writes what has come within a moment, also what came while it was writing, and then rests', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const folder = mkdtempSync(join(tmpdir(), 'log-'));
    const file = join(folder, 'log');
    const output = gatheredOutput(openSync(file, 'w'));
    /** Lets a moment pass, in which lines come; gives the bytes of the write that ends after it. */
    const moment = async (...lines: string[]) => {
      const written = once(output, 'write') as Promise<[bytes: number]>;
      jest.advanceTimersByTime(100);
      for (const line of lines) output.write(line);
      const [bytes] = await written;
      return bytes;
    };
    try {
      // A thread is slow: the line's moment is over before nothing has been written.
      const nothing = once(output, 'write');
      jest.advanceTimersByTime(100);
      output.write('one\n');
      jest.advanceTimersByTime(100);
      expect(await nothing).toEqual([0]);

      expect(await moment('second\n')).toBe(4);
      expect(await moment()).toBe(7);
      expect(await moment()).toBe(0);
      expect(readFileSync(file, 'utf8')).toBe('one\nsecond\n');
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
      output.destroy();
      rmSync(folder, { recursive: true });
    }
  });

  it('is destroyed also while something is to be written', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const folder = mkdtempSync(join(tmpdir(), 'log-'));
    const output = gatheredOutput(openSync(join(folder, 'log'), 'w'));
    try {
      output.write('waits\n');
      const closed = once(output, 'close');
      output.destroy();
      expect(() => jest.advanceTimersByTime(100)).not.toThrow();
      await closed;
    } finally {
      jest.useRealTimers();
      rmSync(folder, { recursive: true });
    }
  });
});
