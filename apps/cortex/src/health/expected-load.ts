/**
 * What is under way at one offer, between dispatch's reports: what was reported, and by how much more or less of this cortex's own
 * plans are probably under way since. Other instances' plans are seen in the next report.
 */
export class ExpectedLoad {
  /** Own plans that are probably under way. They end at random, as many in a moment as are under way. */
  private own = 0;
  /** As many of them as the reports count already. */
  private ownReported = 0;
  private reported = 0;

  constructor(private atMs: number) {}

  /** A request is planned for the offer. @param durationMs what its requests take on average */
  plan(nowMs: number, durationMs: number): void {
    this.fade(nowMs, durationMs);
    this.own++;
  }

  /**
   * @param reported under way according to all instances of dispatch
   * @param news how much of it is new: one instance's share
   */
  report(reported: number, news: number, nowMs: number, durationMs: number): void {
    this.fade(nowMs, durationMs);
    // More than all cannot be its own: plans that came to nothing are forgotten here.
    this.own -= Math.max(this.own - reported, 0) * news;
    this.ownReported += (this.own - this.ownReported) * news;
    this.reported = reported;
  }

  inFlight(nowMs: number, durationMs: number): number {
    this.fade(nowMs, durationMs);
    return Math.max(this.reported + this.own - this.ownReported, 0);
  }

  private fade(nowMs: number, durationMs: number): void {
    this.own *= Math.exp((this.atMs - nowMs) / durationMs);
    this.atMs = nowMs;
  }
}
