/**
 * Has a tool go on with its work when nobody reads what it says any more, as after `| head`. What cannot be written for another reason,
 * as on a full disk, is said on standard error, and the tool ends with the code.
 */
export function outliveReaders(code) {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (error) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(`what it says cannot be written: ${error.message}\n`);
    process.exitCode = code;
  });
}
