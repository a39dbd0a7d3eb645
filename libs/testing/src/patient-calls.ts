/** Far longer than a machine stands still. */
const PATIENCE_MS = 30_000;

interface Call {
  readonly timeoutMs: number;
}

/** What the calls had before. */
const usual = new Map<Call, number>();

/**
 * Has this process wait long for the answers to these calls, unless it says otherwise call by call. For specs that call a service: in
 * earnest callers give up after some seconds, which there would only show that the machine stood still.
 */
export function waitLongFor(contracts: Readonly<Record<string, Call>>): void {
  for (const contract of Object.values(contracts)) {
    if (!usual.has(contract)) usual.set(contract, contract.timeoutMs);
    Object.assign(contract, { timeoutMs: PATIENCE_MS });
  }
}

/** Has it give up as in earnest again, where a spec is about answers that do not come. */
export function waitAsUsualFor(contracts: Readonly<Record<string, Call>>): void {
  for (const contract of Object.values(contracts))
    Object.assign(contract, { timeoutMs: usual.get(contract) ?? contract.timeoutMs });
}
