/** Injection token of {@link SupplyLimits}. */
export const SUPPLY_LIMITS = Symbol('svc.catalog.supply-limits');

/** The longest that an offer may be signed for: a year. */
export const MAX_OFFER_SECONDS = 366 * 24 * 60 * 60;

/** How much one provider may have and cause, and how much there may be of all. */
export interface SupplyLimits {
  /** Offers that are not withdrawn. */
  offers: number;
  /** Offers that serve or may soon, of one model and of all. */
  offersPerModel: number;
  offersTotal: number;
  /** Certifications that wait or are under way, of all. */
  openCertifications: number;
  /** Versions signed within an hour. */
  versionsPerHour: number;
  /** Of those, versions that had to be certified. */
  certificationsPerHour: number;
}
