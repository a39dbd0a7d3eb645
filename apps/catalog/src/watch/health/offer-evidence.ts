import { BoundedMap } from '@svc/collections';
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

/** For how many half-lives wallets are remembered, and how many wallets at most. */
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
  /** Tags of wallets, with when they were heard of last. */
  private readonly blamers = new BoundedMap<string, number>(MOST_WALLETS);
  private readonly inflated = new BoundedMap<string, number>(MOST_WALLETS);

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
    for (const wallet of report.blamedBy ?? []) this.blamers.set(wallet, nowMs);
    for (const wallet of report.inflatedBy ?? []) this.inflated.set(wallet, nowMs);
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

function since(wallets: ReadonlyMap<string, number>, sinceMs: number): number {
  return [...wallets.values()].filter((heardMs) => heardMs > sinceMs).length;
}
