import { TestEnvironment } from 'jest-environment-node';

const LOOKS_EVERY_MS = 500;

// A worker of a jest that was killed would run its spec to the end, with the servers of that. Looked at, and not listened for: whoever
// listens for `disconnect` keeps the worker from ending when it has nothing more to do. jest's own process has no `send`.
setInterval(() => {
  if (process.send && !process.connected) process.exit(1);
}, LOOKS_EVERY_MS).unref();

/** jest's environment `node`, but that a worker ends when jest does. */
export default TestEnvironment;
