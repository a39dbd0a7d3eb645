import type { OfferHealthReport } from '@svc/contracts';
import { OfferEvidence } from './offer-evidence';
import type { Evidence } from './offer-evidence';

/** After this long an attempt counts half. */
export const HALF_LIFE_MS = 300_000;
/** Below this weight nothing is remembered of what was measured. */
const FORGOTTEN_WEIGHT = 0.01;

/** How an offer has been doing of late; absent figures are not known. */
export interface HealthFigures {
  /** Attempts, old ones counting less. */
  weight: number;
  /** Shares of the attempts, 0 to 1. */
  errorRate?: number;
  invalidRate?: number;
  /** Means over what succeeded. */
  firstTokenMs?: number;
  tokensPerSecond?: number;
}

/** What real traffic tells of one offer, fading exponentially. All times are of one clock that never goes back. */
export class OfferEstimate {
  /** When a canary was last asked for on its account. */
  checkedMs = -Infinity;
  private readonly gathered = new OfferEvidence(HALF_LIFE_MS);
  private readonly firstToken = { sum: 0, weight: 0 };
  private readonly speed = { sum: 0, weight: 0 };
  private succeededMs = -Infinity;
  private livedMs = -Infinity;

  constructor(private atMs: number) {}

  /** When a request succeeded last; -Infinity before the first. */
  get lastSuccessMs(): number {
    return this.succeededMs;
  }

  /** When a request succeeded, or something came of one that is under way; -Infinity before the first. */
  get lastLifeMs(): number {
    return this.livedMs;
  }

  add(report: OfferHealthReport, nowMs: number): void {
    this.fade(nowMs);
    const { succeeded, progressed } = report;
    this.gathered.add(report, nowMs);
    if (succeeded > 0 || progressed) this.livedMs = nowMs;
    if (succeeded === 0) return;
    this.succeededMs = nowMs;
    measure(this.firstToken, report.firstTokenMs, succeeded);
    measure(this.speed, report.tokensPerSecond, succeeded);
  }

  figures(nowMs: number): HealthFigures {
    this.fade(nowMs);
    const { succeeded, failed, invalid } = this.gathered.at(nowMs);
    const weight = succeeded + failed;
    const firstTokenMs = mean(this.firstToken);
    const tokensPerSecond = mean(this.speed);
    return {
      weight,
      ...(weight >= FORGOTTEN_WEIGHT && {
        errorRate: failed / weight,
        invalidRate: invalid / weight,
      }),
      ...(firstTokenMs !== undefined && { firstTokenMs }),
      ...(tokensPerSecond !== undefined && { tokensPerSecond }),
    };
  }

  evidence(nowMs: number): Evidence {
    this.fade(nowMs);
    return this.gathered.at(nowMs);
  }

  private fade(nowMs: number): void {
    const factor = 0.5 ** ((nowMs - this.atMs) / HALF_LIFE_MS);
    this.atMs = nowMs;
    this.gathered.fade(factor);
    for (const figure of [this.firstToken, this.speed]) {
      figure.sum *= factor;
      figure.weight *= factor;
    }
  }
}

/** A mean that fades. */
interface Measured {
  sum: number;
  weight: number;
}

function measure(figure: Measured, value: number | undefined, weight: number): void {
  if (value === undefined) return;
  figure.sum += value * weight;
  figure.weight += weight;
}

function mean({ sum, weight }: Measured): number | undefined {
  return weight < FORGOTTEN_WEIGHT ? undefined : sum / weight;
}
