/** How many of an offer's places each instance holds, by instance id. Nobody stands in it with none. */
export type Holdings = ReadonlyMap<string, number>;

/** Who holds what, and the revision of the offer's key at which it is so; revision 0: the key is not there. */
export interface StoredHoldings {
  revision: number;
  holdings: Holdings;
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

/** Reads a key's value. What is no count of somebody's is left out. */
export function parseHoldings(text: string): Holdings {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return new Map();
  }
  if (typeof value !== 'object' || value === null) return new Map();
  const entries = Object.entries(value as Record<string, unknown>);
  return new Map(entries.filter((entry): entry is [string, number] => isCount(entry[1])));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
