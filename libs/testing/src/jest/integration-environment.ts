import { TestEnvironment } from 'jest-environment-node';

const LOOKS_EVERY_MS = 500;

// In a worker: jest's own process has no `send`.
if (process.send) {
  // Of a jest that was killed, a worker would run its spec to the end, with the servers of that. Looked at, and not listened for: whoever
  // listens for `disconnect` keeps the worker from ending when it has nothing more to do.
  setInterval(() => {
    if (!process.connected) process.exit(1);
  }, LOOKS_EVERY_MS).unref();
  // Otherwise it would take its heap down first, of a gigabyte after many specs: on a busy machine that takes longer than the half second
  // after which jest says that it has failed to exit gracefully.
  process.once('beforeExit', () => process.exit());
}

/** jest's environment `node`, but that a worker ends when jest does. */
export default TestEnvironment;
