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

  it('writes what has come within a moment, also while it was writing, and then rests', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const folder = mkdtempSync(join(tmpdir(), 'log-'));
    const file = join(folder, 'log');
    const output = gatheredOutput(openSync(file, 'w'));
    try {
      // Nothing has come yet.
      let written = once(output, 'write');
      jest.advanceTimersByTime(100);
      expect(await written).toEqual([0]);
      expect(jest.getTimerCount()).toBe(0);

      output.write('one\n');
      written = once(output, 'write');
      jest.advanceTimersByTime(100);
      output.write('two\n');
      expect(await written).toEqual([4]);
      written = once(output, 'write');
      jest.advanceTimersByTime(100);
      expect(await written).toEqual([4]);
      expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');

      written = once(output, 'write');
      jest.advanceTimersByTime(100);
      expect(await written).toEqual([0]);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
      output.destroy();
      rmSync(folder, { recursive: true });
    }
  });
});
