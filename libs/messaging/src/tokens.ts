/** Injection token of the process's `Messaging`. */
export const MESSAGING = Symbol('svc.messaging');
