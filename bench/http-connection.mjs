// One keep-alive connection of the load generator: request bytes made beforehand, and no more of each reply read than tells whether it
// is whole and right. An HTTP client that does everything for everybody costs several times as much, on the cores that are measured.
import { connect } from 'node:net';

/** A reply that is silent for longer is an error, so that a run always ends. */
const SILENCE_MS = 30_000;
/** The last events of a stream fit into it. */
const TAIL_CHARS = 1_536;
const LAST_CHUNK = '\r\n0\r\n\r\n';
const FINISHED = '"finish_reason":"stop"';
const CODE = /"code": ?"(\w+)"/;
const LENGTH = /\r\ncontent-length: *(\d+)/i;

/** The bytes of a target's request. */
export function requestBytes({ url, path, headers, body }) {
  const { host, hostname } = new URL(url);
  if (hostname !== '127.0.0.1') throw new Error('the load generator goes to 127.0.0.1 only');
  const lines = Object.entries({
    host,
    'content-type': 'application/json',
    ...headers,
    'content-length': Buffer.byteLength(body),
  });
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
}

/** Whether a reply's last part says that the model came to its end, and a stream that it did. */
function isWhole(tail, stream) {
  return tail.includes(FINISHED) && (!stream || tail.includes('data: [DONE]'));
}

/** What is wrong with a reply, and the error code in its last part, if there is one. */
function withCode(wrong, tail) {
  const code = CODE.exec(tail)?.[1];
  return code === undefined ? wrong : `${wrong} ${code}`;
}

export class HttpConnection {
  #socket;
  #reply;

  constructor(url) {
    const { hostname, port } = new URL(url);
    this.address = { host: hostname, port: Number(port), noDelay: true };
  }

  /**
   * Sends a request and reads the reply to its end. One at a time.
   * @param onReply called with what is wrong with the reply, '' for nothing, and when its first byte came
   */
  ask(bytes, stream, onReply) {
    this.#reply = { onReply, stream, tail: '', left: undefined, firstMs: 0, heardMs: performance.now() };
    if (!this.#socket) this.#open();
    this.#socket.write(bytes);
  }

  /** To be called now and then: gives up a reply that is silent. */
  watch(nowMs) {
    if (this.#reply && nowMs - this.#reply.heardMs > SILENCE_MS) this.#end('silent', true);
  }

  close() {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open() {
    const socket = (this.#socket = connect(this.address));
    socket.on('data', (data) => this.#read(data));
    socket.on('error', (error) => this.#lost(socket, error.code ?? 'error'));
    socket.on('close', () => this.#lost(socket, 'closed'));
  }

  #lost(socket, why) {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    if (this.#reply) this.#end(why, true);
  }

  #end(wrong, isLast) {
    const { onReply, firstMs } = this.#reply;
    this.#reply = undefined;
    if (isLast) this.close();
    onReply(wrong, firstMs);
  }

  #read(data) {
    const reply = this.#reply;
    if (!reply) return this.close();
    reply.heardMs = performance.now();
    const text = data.latin1Slice();
    if (reply.left === undefined) {
      reply.firstMs ||= reply.heardMs;
      reply.tail += text;
      if (!this.#readHead(reply)) return;
    } else {
      reply.left -= text.length;
      reply.tail = (reply.tail + text).slice(-TAIL_CHARS);
    }
    const isOver = reply.left === Infinity ? reply.tail.endsWith(LAST_CHUNK) : reply.left <= 0;
    if (!isOver) return;
    const { status, tail, stream, isLast } = reply;
    if (status !== 200) return this.#end(withCode(`status ${status}`, tail), isLast);
    this.#end(isWhole(tail, stream) ? '' : withCode('cut', tail), isLast);
  }

  /** @returns false while the head has not come whole */
  #readHead(reply) {
    const end = reply.tail.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const head = reply.tail.slice(0, end);
    const length = LENGTH.exec(head)?.[1];
    reply.status = Number(head.slice(9, 12));
    reply.isLast = head.includes('\r\nconnection: close');
    reply.left = length === undefined ? Infinity : Number(length) - (reply.tail.length - end - 4);
    return true;
  }
}
