/** Far longer than a machine stands still. */
const PATIENCE_MS = 30_000;

/**
 * Has this process wait long for the answers to these calls, unless it says otherwise call by call. For specs that call a service: in
 * earnest callers give up after some seconds, which there would only show that the machine stood still.
 */
export function waitLongFor(contracts: Readonly<Record<string, { readonly timeoutMs: number }>>): void {
  for (const contract of Object.values(contracts)) Object.assign(contract, { timeoutMs: PATIENCE_MS });
}
