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
const RESET_WHILE_PAUSED = 'SVC_RESET_WHILE_PAUSED';

/**
 * Lets a server hang up while we do not read. undici 7 asserts, from an event of the socket, that it is not paused when a reply ends
 * that is not keep-alive (`Connection: close`, HTTP/1.0, a body without a length): that would end this process, with all that it does.
 * undici 8 does not (https://github.com/nodejs/undici/issues/5360), and wants Node 22: this goes when we do.
 * @param socket new, so that these listeners are called before undici's
 */
export function letHangUpWhilePaused(socket: Socket): void {
  // Comes when all was read that had come: what is left to do is to say whether that was the whole reply.
  socket.on('end', () => endPause(socket));
  // What had come and was not read is gone. Under that code undici would take it for an end.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET' && pausedParserOf(socket)) error.code = RESET_WHILE_PAUSED;
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
