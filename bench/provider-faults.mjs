// How the bench's failing provider fails: half of its requests, each way in turn, before anything of a reply was sent that could be
// delivered. Now and then nobody listens for a moment, as while a server starts again.
const STREAM_HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const AWAY_MS = 50;
/** Every so many failures one is a moment in which connections are refused. */
const AWAY_EVERY = 50;

const reply = (status, body, type = 'application/json') =>
  `HTTP/1.1 ${status} Fault\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const REFUSAL = reply(500, '{"error":{"message":"The model crashed.","type":"server_error"}}');
const NO_REPLY = reply(200, '{"id":"chatcmpl-mock","object":"chat.completion","choices":"none"}');
const ERROR_EVENT = 'data: {"error":{"message":"Out of memory."}}\n\n';
const ERROR_STREAM = `${STREAM_HEAD}${ERROR_EVENT.length.toString(16)}\r\n${ERROR_EVENT}\r\n0\r\n\r\n`;

/** A silent connection is left by who asked; should that not happen, it ends here. */
const LONGEST_SILENCE_MS = 120_000;
const fallSilent = (socket) => setTimeout(() => socket.destroy(), LONGEST_SILENCE_MS).unref();

const FAULTS = {
  reset: (socket) => socket.resetAndDestroy(),
  'status 500': (socket) => socket.write(REFUSAL),
  'invalid reply': (socket, kind) => socket.write(kind === 'stream' ? ERROR_STREAM : NO_REPLY),
  'hang before headers': (socket) => fallSilent(socket),
  'hang before the first token': (socket) => {
    socket.write(STREAM_HEAD);
    fallSilent(socket);
  },
  'cut off': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-type: app'),
};
const WAYS = Object.values(FAULTS);

/** What the table of the bench says of them. */
export const FAULT_NAMES = ['refused connections', ...Object.keys(FAULTS)];

export class ProviderFaults {
  #requests = 0;
  #failures = 0;

  constructor(server) {
    this.server = server;
  }

  /** @returns whether the request was one of those that fail; it has failed then */
  spoils(socket, kind) {
    if (this.#requests++ % 2 === 0) return false;
    const failure = this.#failures++;
    if (failure % AWAY_EVERY === AWAY_EVERY - 1) this.#refuseAWhile(socket);
    else WAYS[failure % WAYS.length](socket, kind);
    return true;
  }

  /** Closes the port for a moment: whoever connects meanwhile is refused. Replies under way go on. */
  #refuseAWhile(socket) {
    socket.resetAndDestroy();
    if (!this.server.listening) return;
    const { port } = this.server.address();
    this.server.close();
    setTimeout(() => this.server.listen({ port, host: '127.0.0.1', backlog: 4_096 }), AWAY_MS);
  }
}
