/** From how many to how many processes of a service are kept. */
export interface ReplicaRange {
  least: number;
  most: number;
}

/** How busy one process was since it was last looked at. */
export interface ReplicaLoad {
  /** Of one core: 1 is a process that cannot do more. */
  cpu: number;
  runsInFlight: number;
}

/** Above either, on the average of all, another process is started; docs/scaling.md says why. */
const UPPER: ReplicaLoad = { cpu: 0.7, runsInFlight: 500 };
/** Below both, had the rest to do all of it, one is stopped. */
const LOWER: ReplicaLoad = { cpu: 0.45, runsInFlight: 300 };
/** How many looks in a row must say the same: load that comes is met soon, load that goes may come back. */
const LOOKS_BEFORE_MORE = 3;
const LOOKS_BEFORE_FEWER = 15;

/** Decides how many processes there are to be, look by look. */
export class ReplicaScaling {
  private wantedMore = 0;
  private wantedFewer = 0;

  constructor(private readonly range: ReplicaRange) {}

  /** @returns how many more there are to be: 1, 0 or -1 */
  next(loads: readonly ReplicaLoad[]): -1 | 0 | 1 {
    if (loads.length === 0) return 0;
    const over = (limit: ReplicaLoad, count: number): boolean =>
      total(loads, 'cpu') > limit.cpu * count || total(loads, 'runsInFlight') > limit.runsInFlight * count;
    const isMoreWanted = loads.length < this.range.most && over(UPPER, loads.length);
    const isFewerWanted = loads.length > this.range.least && !over(LOWER, loads.length - 1);
    this.wantedMore = isMoreWanted ? this.wantedMore + 1 : 0;
    this.wantedFewer = isFewerWanted ? this.wantedFewer + 1 : 0;
    if (this.wantedMore >= LOOKS_BEFORE_MORE) return this.decide(1);
    return this.wantedFewer >= LOOKS_BEFORE_FEWER ? this.decide(-1) : 0;
  }

  private decide(change: -1 | 1): -1 | 1 {
    this.wantedMore = this.wantedFewer = 0;
    return change;
  }
}

function total(loads: readonly ReplicaLoad[], figure: keyof ReplicaLoad): number {
  return loads.reduce((sum, load) => sum + load[figure], 0);
}
