/** After how many requests what was before counts half. */
const REMEMBERED = 64;

/**
 * How long requests at an offer have lately held their place, without following each of them: the time that places were held, all
 * together, by the requests that gave one back.
 */
export class HoldTime {
  private heldMs = 0;
  private ended = 0;
  private sinceMs = 0;

  /** @param inUse how many held a place until now */
  note(inUse: number, nowMs: number): void {
    if (inUse > 0) this.heldMs += inUse * (nowMs - this.sinceMs);
    this.sinceMs = nowMs;
  }

  /** One of them gave its place back; after {@link note}. */
  end(): void {
    if (++this.ended < REMEMBERED) return;
    this.ended /= 2;
    this.heldMs /= 2;
  }

  /** @returns undefined while no request has ended */
  averageMs(inUse: number, nowMs: number): number | undefined {
    this.note(inUse, nowMs);
    return this.ended === 0 ? undefined : this.heldMs / this.ended;
  }
}
