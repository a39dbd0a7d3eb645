import type { CallTrace } from '../provider-client/upstream-call';
import { MAX_OBSERVED_BYTES } from './safe-text';

/** A credential's length, and more: one that begins before the observed part's end can be seen whole. */
const SLACK_BYTES = 2 * 1024;

/** What came of one call, as far as it is kept. */
export class ProbeTrace implements CallTrace {
  /** Of the HTTP reply, where one came. */
  status: number | undefined;
  receivedBytes = 0;
  /** Nothing more will come. */
  readonly closed: Promise<void>;
  private resolveClosed!: () => void;
  private readonly kept: Buffer[] = [];
  private keptBytes = 0;

  constructor() {
    this.closed = new Promise((resolve) => (this.resolveClosed = resolve));
  }

  /** The beginning of what came; what is no UTF-8 is replaced. */
  get beginning(): string {
    return Buffer.concat(this.kept).toString('utf8');
  }

  onStatus(status: number): void {
    this.status = status;
  }

  onBytes(bytes: Buffer): void {
    this.receivedBytes += bytes.length;
    const room = MAX_OBSERVED_BYTES + SLACK_BYTES - this.keptBytes;
    if (room <= 0) return;
    // A copy: the original is a part of a larger buffer.
    const some = Buffer.from(bytes.subarray(0, room));
    this.kept.push(some);
    this.keptBytes += some.length;
  }

  onClosed(): void {
    this.resolveClosed();
  }
}
