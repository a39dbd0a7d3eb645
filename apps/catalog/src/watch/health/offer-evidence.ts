import type { OfferHealthReport } from '@svc/contracts';

/** What real traffic says for and against an offer; counts are of attempts, old ones counting less. */
export interface Evidence {
  succeeded: number;
  failed: number;
  invalid: number;
  /** Of the failed, those that no request can have caused. */
  blamed: number;
  blamedInvalid: number;
  /** Wallets behind these. */
  blamedBy: number;
  /** Replies with a usage, the completion tokens these claim, and what was written. */
  claims: number;
  claimedTokens: number;
  outputBytes: number;
  /** Wallets that got replies that claim too much. */
  inflatedBy: number;
}

type Count = Exclude<keyof Evidence, 'blamedBy' | 'inflatedBy'>;

/** Wallets are remembered for so many half-lives, and so many of them. */
const REMEMBERED_HALF_LIVES = 2;
const MOST_WALLETS = 16;

/** Gathers evidence, which fades. All times are of one clock that never goes back. */
export class OfferEvidence {
  private readonly counts: Record<Count, number> = {
    succeeded: 0,
    failed: 0,
    invalid: 0,
    blamed: 0,
    blamedInvalid: 0,
    claims: 0,
    claimedTokens: 0,
    outputBytes: 0,
  };
  private readonly blamers = new Map<string, number>();
  private readonly inflated = new Map<string, number>();

  constructor(private readonly halfLifeMs: number) {}

  add(report: OfferHealthReport, nowMs: number): void {
    const { counts } = this;
    const { succeeded, failed, blamed = 0 } = report;
    counts.succeeded += succeeded;
    counts.failed += failed;
    counts.invalid += Math.min(report.invalid, failed);
    counts.blamed += Math.min(blamed, failed);
    counts.blamedInvalid += Math.min(report.blamedInvalid ?? 0, blamed, failed);
    counts.claims += report.claims ?? 0;
    counts.claimedTokens += report.claimedTokens ?? 0;
    counts.outputBytes += report.outputBytes ?? 0;
    remember(this.blamers, report.blamedBy, nowMs);
    remember(this.inflated, report.inflatedBy, nowMs);
  }

  fade(factor: number): void {
    for (const count of Object.keys(this.counts) as Count[]) this.counts[count] *= factor;
  }

  at(nowMs: number): Evidence {
    const sinceMs = nowMs - REMEMBERED_HALF_LIVES * this.halfLifeMs;
    return {
      ...this.counts,
      blamedBy: since(this.blamers, sinceMs),
      inflatedBy: since(this.inflated, sinceMs),
    };
  }
}

/** The one heard of last stands last. */
function remember(wallets: Map<string, number>, tags: readonly string[] = [], nowMs: number): void {
  for (const tag of tags) {
    wallets.delete(tag);
    wallets.set(tag, nowMs);
    const [longestSilent] = wallets.keys();
    if (wallets.size > MOST_WALLETS && longestSilent !== undefined) wallets.delete(longestSilent);
  }
}

function since(wallets: ReadonlyMap<string, number>, sinceMs: number): number {
  return [...wallets.values()].filter((heardMs) => heardMs > sinceMs).length;
}
