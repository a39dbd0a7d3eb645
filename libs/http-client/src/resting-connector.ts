import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { steadyConnector } from './steady-connector';

/** When this many bytes came at one go there is more: it is read on. */
const MUCH_BYTES = 16 * 1024;

/** Bytes that may be read of which no body comes, … */
const MOST_UNACCOUNTED_BYTES = 1024 * 1024;
/** … and how many of them each byte of a body accounts for: a chunk of one byte takes six. */
const ACCOUNTED_PER_BODY_BYTE = 16;

/** The code of the error with which a connection ends that has said far more than its replies' bodies. */
export const FRAMING_TOO_LARGE = 'SVC_FRAMING_TOO_LARGE';

/**
 * The code of the error with which a connection ends over which replies have come, and of the one that was waited for nothing: the server has
 * most likely closed it before it knew of the request (RFC 9112, section 9.3.1).
 */
export const CONNECTION_STALE = 'SVC_CONNECTION_STALE';

/**
 * Of a stream of small pieces each costs a read of its own, and all that comes with it. Who cannot pass a piece on at once lets the
 * connection rest: the system gathers what comes, and that is read at one go.
 */
export class RestableConnection {
  private static reading: RestableConnection | undefined;
  private resting = false;
  /** Node wants more. */
  private isAsked = false;
  private lastBytes = 0;
  /** What was not read while it rested is being taken: it is handed on when all of it is here. */
  private isGathering = false;
  /** What has been read, as far as bodies do not account for it. */
  private unaccountedBytes = 0;
  /** A reply has come over it, and nothing since. */
  private isQuiet = false;
  private readonly more: (size: number) => void;

  /** @param socket one that takes nothing beyond what it was asked for: with a high-water mark of one byte */
  constructor(private readonly socket: Socket) {
    const read = socket.read.bind(socket);
    const unshift = socket.unshift.bind(socket);
    this.more = socket._read.bind(socket);
    // Node asks for more before it hands on what it has, and that may be what somebody rests after.
    socket._read = () => {
      this.isAsked = true;
      queueMicrotask(this.afterHandingOn);
    };
    socket.read = (size?: number): unknown => {
      if (this.isGathering && size === undefined) return null;
      const bytes = read(size) as Buffer | null;
      if (bytes === null) return null;
      this.noteRead(bytes.length);
      if (this.unaccountedBytes <= MOST_UNACCOUNTED_BYTES) return bytes;
      socket.destroy(framingTooLarge());
      return null;
    };
    // What was read while the reader was paused is read again.
    socket.unshift = (bytes: Buffer) => {
      this.account(bytes.length);
      unshift(bytes);
    };
    // Before undici's own listeners.
    socket.on('end', () => {
      if (this.isQuiet) socket.destroy(connectionStale());
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Of the system, not of whoever breaks it off here.
      if (this.isQuiet && error.syscall !== undefined) error.code = CONNECTION_STALE;
    });
  }

  /** The one whose bytes are being handed on; to be asked for before anything else is done with them. */
  static get beingRead(): RestableConnection | undefined {
    return RestableConnection.reading;
  }

  /** A reply's body begins. */
  beginBody(): void {
    this.unaccountedBytes = 0;
  }

  /** The reply has come to its end. */
  endBody(): void {
    this.isQuiet = true;
  }

  /**
   * `bytes` more of a body have been handed on. HTTP's chunks may have extensions of any length, which no reader ever sees; who reads bodies
   * tells, and where too little of what is read comes of it the connection ends with `FRAMING_TOO_LARGE`.
   */
  noteBody(bytes: number): void {
    this.account(bytes * ACCOUNTED_PER_BODY_BYTE);
  }

  /** Nothing is read until `wake`; one that has much to say does not rest. */
  rest(): void {
    // One that rests already goes on resting: `wake` is what reads on.
    if (this.lastBytes < MUCH_BYTES) this.resting = true;
  }

  wake(): void {
    if (!this.resting) return;
    this.resting = false;
    // TLS hands on record by record, each as a read of its own.
    if ('encrypted' in this.socket) this.gather();
    this.readOn();
  }

  /** Until the end of this turn of the event loop, in which everything is read that has come. */
  private gather(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    setImmediate(() => {
      this.isGathering = false;
      // Whoever was told before was given nothing.
      if (!this.socket.destroyed) this.socket.emit('readable');
    });
  }

  /** Whoever was handed something may have put off until a microtask to say what becomes of it: that comes first. */
  private readonly afterHandingOn = (): void => queueMicrotask(this.readOn);

  private readonly readOn = (): void => {
    if (this.resting || !this.isAsked || this.socket.destroyed) return;
    this.isAsked = false;
    this.more(1);
  };

  private account(bytes: number): void {
    this.unaccountedBytes = Math.max(0, this.unaccountedBytes - bytes);
  }

  private noteRead(bytes: number): void {
    this.isQuiet = false;
    this.lastBytes = bytes;
    this.unaccountedBytes += bytes;
    RestableConnection.reading = this;
  }
}

function framingTooLarge(): NodeJS.ErrnoException {
  return Object.assign(new Error('far more was said than came of it'), { code: FRAMING_TOO_LARGE });
}

function connectionStale(): NodeJS.ErrnoException {
  return Object.assign(new Error('closed before a reply began'), { code: CONNECTION_STALE });
}

/** As `steadyConnector`, with connections that can rest. */
export function restingConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  // Otherwise Node reads on by itself, up to the usual high-water mark.
  const socketOptions = { ...options, highWaterMark: 1 };
  const connect = steadyConnector(socketOptions);
  return (target, callback) => {
    connect(target, (...result) => {
      const [, socket] = result;
      if (socket) new RestableConnection(socket);
      callback(...result);
    });
  };
}
