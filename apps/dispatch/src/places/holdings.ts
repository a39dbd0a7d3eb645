/** How many of an offer's places each instance holds, by instance id. Nobody stands in it with none. */
export type Holdings = ReadonlyMap<string, number>;

/** Who holds what, and the revision of the offer's key at which it is so; revision 0: the key is not there. */
export interface StoredHoldings {
  revision: number;
  holdings: Holdings;
  /** What stands in the key was written by nobody who keeps places, and says nothing of who holds what. */
  isForeign?: boolean;
}

export function totalOf(holdings: Holdings): number {
  let total = 0;
  for (const count of holdings.values()) total += count;
  return total;
}

/** The holdings with another count for one instance. */
export function withCount(holdings: Holdings, instanceId: string, count: number): Map<string, number> {
  const changed = new Map(holdings);
  if (count > 0) changed.set(instanceId, count);
  else changed.delete(instanceId);
  return changed;
}

export function isSame(a: Holdings, b: Holdings): boolean {
  return a.size === b.size && [...a].every(([instanceId, count]) => b.get(instanceId) === count);
}

export function formatHoldings(holdings: Holdings): string {
  return JSON.stringify(Object.fromEntries(holdings));
}

/**
 * Reads a key's value.
 * @returns undefined for what is not counts alone: no instance wrote it. JetStream writes its answers wherever it is asked to, also over
 *   this key, and some of the numbers in them would pass for somebody's places.
 */
export function parseHoldings(text: string): Holdings | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value as Record<string, unknown>);
  return entries.every(isHolding) ? new Map(entries) : undefined;
}

function isHolding(entry: [string, unknown]): entry is [string, number] {
  return Number.isSafeInteger(entry[1]) && (entry[1] as number) > 0;
}
