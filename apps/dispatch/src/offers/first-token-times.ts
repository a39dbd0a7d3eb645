const KEPT = 64;
/** Fewer say nothing of one in twenty. */
const LEAST_KNOWN = 20;
const SHARE = 0.95;

/** How long the first tokens of an offer's last replies have taken. */
export class FirstTokenTimes {
  private readonly lastMs: number[] = [];
  private at = 0;
  private usual: number | undefined;

  add(ms: number): void {
    this.lastMs[this.at] = ms;
    this.at = (this.at + 1) % KEPT;
    this.usual = undefined;
  }

  /** The 95th percentile, ms; undefined while too few are known. */
  get usualMs(): number | undefined {
    if (this.lastMs.length < LEAST_KNOWN) return undefined;
    this.usual ??= [...this.lastMs].sort((a, b) => a - b)[Math.ceil(SHARE * this.lastMs.length) - 1];
    return this.usual;
  }
}
