/** How long it is remembered that a service's clock is ahead: long enough to cost little, and no longer than it may take to be put right. */
const KNOWN_FOR_MS = 60_000;

interface KnownLead {
  /** Of the clock that is furthest ahead, among the service's processes. */
  readonly aheadMs: number;
  /** On performance.now()'s clock. */
  readonly untilMs: number;
}

/**
 * How far the clocks of other services are ahead of this process's. Nothing is known of a service until it says that a call came too late
 * whose caller still waits: that is the proof. Of a clock that is behind nothing is learnt: it refuses nothing.
 */
export class PeerClocks {
  private readonly known = new Map<string, KnownLead>();

  /**
   * @param onLead told when a service's clock turns out to be ahead, or further than was known
   * @param clock of this process, Unix milliseconds
   */
  constructor(
    private readonly onLead: (service: string, aheadMs: number) => void = () => undefined,
    private readonly clock = () => Date.now(),
  ) {}

  /** The moment that lies so far ahead, in Unix milliseconds as the service reads them. */
  momentIn(ms: number, service: string): number {
    return this.clock() + Math.ceil(ms) + (this.leadOf(service)?.aheadMs ?? 0);
  }

  /** @param clockMs what its clock said, Unix milliseconds, when it refused a call that is still waited for */
  learn(service: string, clockMs: number): void {
    const aheadMs = clockMs - this.clock();
    const known = this.leadOf(service);
    if (aheadMs <= (known?.aheadMs ?? 0)) return;
    this.known.set(service, { aheadMs, untilMs: performance.now() + KNOWN_FOR_MS });
    this.onLead(service, aheadMs);
  }

  private leadOf(service: string): KnownLead | undefined {
    const lead = this.known.get(service);
    if (lead && lead.untilMs <= performance.now()) {
      this.known.delete(service);
      return undefined;
    }
    return lead;
  }
}
