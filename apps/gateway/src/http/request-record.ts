/** What is noted of one request while it is served: for its log line, its metrics, and whoever must know that it ended. */
export class RequestRecord {
  /** Error code that the client was told, if any. */
  code?: string;
  model?: string;
  /** What the reply said it cost, USDC. */
  costUsdc?: string;
  /** The request whose reply this one was given: both have one idempotency key. */
  replayOf?: string;
  firstByteMs?: number;
  stream = false;
  /** The reply is finished, or the client is gone. */
  closed = false;
  /** Called once when that happens. */
  onClosed?: () => void;

  /** @param startedMs by the gateway's clock */
  constructor(readonly startedMs: number) {}
}

declare module 'fastify' {
  interface FastifyRequest {
    record: RequestRecord;
  }
}
