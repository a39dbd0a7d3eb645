import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { steadyConnector } from './steady-connector';

/** After so much at one go there is more: it is read on. */
const MUCH_BYTES = 16 * 1024;

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
  private readonly more: (size: number) => void;

  /** @param socket one that takes nothing beyond what it was asked for: with a high-water mark of one byte */
  constructor(private readonly socket: Socket) {
    const read = socket.read.bind(socket);
    this.more = socket._read.bind(socket);
    // Node asks for more before it hands on what it has, and that may be what somebody rests after.
    socket._read = () => {
      this.isAsked = true;
      queueMicrotask(this.afterHandingOn);
    };
    socket.read = (size?: number): unknown => {
      if (this.isGathering && size === undefined) return null;
      const bytes = read(size) as Buffer | null;
      if (bytes !== null) this.noteRead(bytes.length);
      return bytes;
    };
  }

  /** The one whose bytes are being handed on; to be asked for before anything else is done with them. */
  static get beingRead(): RestableConnection | undefined {
    return RestableConnection.reading;
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

  private noteRead(bytes: number): void {
    this.lastBytes = bytes;
    RestableConnection.reading = this;
  }
}

/** As `steadyConnector`, with connections that can rest. */
export function restingConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  // Otherwise Node reads on by itself, up to so much.
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
