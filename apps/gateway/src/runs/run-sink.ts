import type { ErrorPayload } from '@svc/errors';

/** Where a run's outcome goes: one client's reply. Takes one of `end` and `fail`, once. */
export interface RunSink {
  /** Ready bytes for the client. */
  data(payload: Buffer): void;
  /** The run succeeded; the last bytes. */
  end(payload: Buffer): void;
  /** The run failed, and nothing was charged; or it goes on without this client, as the payload says. */
  fail(payload: ErrorPayload): void;
  /** Called a few times a second: whatever is due by now. */
  tick(nowMs: number): void;
}
