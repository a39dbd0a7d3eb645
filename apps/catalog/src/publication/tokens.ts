/** Injection token: milliseconds between two comparisons of the published views with the tables. */
export const REPUBLISH_MS = Symbol('svc.catalog.republish-ms');

/** Injection token: the `Environment` this is. */
export const ENVIRONMENT = Symbol('svc.catalog.environment');
