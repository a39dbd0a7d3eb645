// Loaded into a peer that knows no such setting: it listens on this machine's loopback address alone.
import { Server } from 'node:net';

const { listen } = Server.prototype;
Server.prototype.listen = function (options, ...rest) {
  const isAddress = typeof options === 'object' && options !== null && options.port !== undefined;
  if (isAddress) return listen.call(this, { ...options, host: '127.0.0.1' }, ...rest);
  if (typeof options !== 'number' && typeof options !== 'string') return listen.call(this, options, ...rest);
  return listen.call(this, { port: Number(options), host: '127.0.0.1' }, ...rest.slice(-1));
};
