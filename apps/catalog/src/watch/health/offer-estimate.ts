import type { OfferHealthReport } from '@svc/contracts';

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
  private readonly attempts = { succeeded: 0, failed: 0, invalid: 0 };
  private readonly firstToken = { sum: 0, weight: 0 };
  private readonly speed = { sum: 0, weight: 0 };
  private succeededMs = -Infinity;

  constructor(private atMs: number) {}

  /** When a request succeeded last; -Infinity before the first. */
  get lastSuccessMs(): number {
    return this.succeededMs;
  }

  add(report: OfferHealthReport, nowMs: number): void {
    this.fade(nowMs);
    const { succeeded, failed, invalid } = report;
    this.attempts.succeeded += succeeded;
    this.attempts.failed += failed;
    this.attempts.invalid += Math.min(invalid, failed);
    if (succeeded === 0) return;
    this.succeededMs = nowMs;
    measure(this.firstToken, report.firstTokenMs, succeeded);
    measure(this.speed, report.tokensPerSecond, succeeded);
  }

  figures(nowMs: number): HealthFigures {
    this.fade(nowMs);
    const weight = this.attempts.succeeded + this.attempts.failed;
    const firstTokenMs = mean(this.firstToken);
    const tokensPerSecond = mean(this.speed);
    return {
      weight,
      ...(weight >= FORGOTTEN_WEIGHT && {
        errorRate: this.attempts.failed / weight,
        invalidRate: this.attempts.invalid / weight,
      }),
      ...(firstTokenMs !== undefined && { firstTokenMs }),
      ...(tokensPerSecond !== undefined && { tokensPerSecond }),
    };
  }

  private fade(nowMs: number): void {
    const factor = 0.5 ** ((nowMs - this.atMs) / HALF_LIFE_MS);
    this.atMs = nowMs;
    this.attempts.succeeded *= factor;
    this.attempts.failed *= factor;
    this.attempts.invalid *= factor;
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
