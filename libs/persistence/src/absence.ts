/** What is back sooner, as after a restart, is waited for by the calls themselves. */
const AWAY_AFTER_MS = 5_000;
/** SQLSTATE too_many_connections: the server is there, and whoever has a connection can go on using it. */
const TOO_MANY_CONNECTIONS = '53300';

/** Whether a server that is asked again and again is away, by its answers. */
export class Absence {
  private failingSinceMs: number | undefined;
  private away = false;

  get isAway(): boolean {
    return this.away;
  }

  /**
   * From one failure to another, not from an answer to a failure: whoever asks may have stood still in between.
   * @param failure undefined for an answer
   * @param nowMs of a clock that only rises
   */
  note(failure: Error | undefined, nowMs: number): void {
    if (!failure || isCrowded(failure)) {
      this.failingSinceMs = undefined;
      this.away = false;
      return;
    }
    this.failingSinceMs ??= nowMs;
    this.away = nowMs - this.failingSinceMs >= AWAY_AFTER_MS;
  }
}

function isCrowded(failure: Error): boolean {
  return 'code' in failure && failure.code === TOO_MANY_CONNECTIONS;
}
