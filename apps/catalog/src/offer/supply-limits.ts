/** Injection token of {@link SupplyLimits}. */
export const SUPPLY_LIMITS = Symbol('svc.catalog.supply-limits');

/** The longest that an offer may be signed for: a year. */
export const MAX_OFFER_SECONDS = 366 * 24 * 60 * 60;

/** How much one provider may have and cause. */
export interface SupplyLimits {
  /** Offers that are not withdrawn. */
  offers: number;
  /** Versions signed within an hour. */
  versionsPerHour: number;
  /** Of those, versions that had to be certified. */
  certificationsPerHour: number;
}
