import type { Socket } from 'node:net';

/** Of what undici keeps with a connection, as much as is used here. */
interface Parser {
  paused: boolean;
  /** Its state in `llhttp`. */
  readonly ptr: number;
  readonly llhttp: { llhttp_resume(ptr: number): void };
  resume(): void;
}

/** Any that undici knows nothing of. */
const RESET = 'SVC_CONNECTION_RESET';

/**
 * Lets a server hang up while we do not read. undici 7 asserts, from an event of the socket, that it is not paused when a reply ends
 * that is not keep-alive (`Connection: close`, HTTP/1.0, a body without a length): that would end this process, with all that it does.
 * undici 8 does not (https://github.com/nodejs/undici/issues/5360), and wants Node 22: this goes when we do.
 * @param socket new, so that these listeners are called before undici's
 */
export function letHangUpWhilePaused(socket: Socket): void {
  // Comes when all was read that had come: what is left to do is to say whether that was the whole reply.
  socket.on('end', () => endPause(socket));
  // Under that code undici takes it for the end of a reply without a length, which a reset cuts (RFC 9112, section 8).
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') error.code = RESET;
  });
}

function endPause(socket: Socket): void {
  pausedParserOf(socket)?.resume();
  // A body without a length is handed on once more, empty, and so paused again.
  const parser = pausedParserOf(socket);
  if (!parser) return;
  parser.llhttp.llhttp_resume(parser.ptr);
  parser.paused = false;
}

function pausedParserOf(socket: Socket): Parser | undefined {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser');
  const parser = key && (socket as unknown as Record<symbol, Parser | null>)[key];
  return parser?.paused ? parser : undefined;
}
