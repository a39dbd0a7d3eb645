/** Injection token: milliseconds between two comparisons of the published views with the tables. */
export const REPUBLISH_MS = Symbol('svc.catalog.republish-ms');
