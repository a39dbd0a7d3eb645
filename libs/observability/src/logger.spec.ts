import { gatheredOutput } from './logger';

it('a log that cannot be written, as on a full disk, ends no process', () => {
  const output = gatheredOutput();
  expect(() => output.emit('error', new Error('ENOSPC: no space left on device, write'))).not.toThrow();
  output.write('waits\n');
  // Of a full disk it would be tried for ever.
  output.flushSync();
  output.destroy();
});
