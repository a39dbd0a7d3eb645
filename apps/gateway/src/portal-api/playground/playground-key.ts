import { hashApiKey } from '@svc/api-key';
import type { KeyView } from '@svc/contracts';

/** Shown where API keys show their last four characters. None of theirs holds a bracket, so it tells the two apart. */
export const PLAYGROUND_LAST_FOUR = '(pg)';

/** Whether the key is the playground's own: it has no value that anybody could know, so none that could be replaced. */
export function isPlaygroundKey({ lastFour }: Pick<KeyView, 'lastFour'>): boolean {
  return lastFour === PLAYGROUND_LAST_FOUR;
}

/**
 * What billing knows a wallet's playground key by. What is hashed is no possible API key: nobody can send it as one.
 * @param generation 1 for the first; the next one each time its owner turns the playground on after revoking it
 */
export function playgroundKeyHash(wallet: string, generation: number, pepper: string): string {
  return hashApiKey(`playground:${wallet}:${generation}`, pepper);
}

/** How a wallet's playground stands, as its keys tell. */
export interface PlaygroundKeys {
  /** Of the newest; 0 before the first use. */
  generation: number;
  newest: KeyView | undefined;
}

/** @param keys all of the wallet's, the newest first */
export function playgroundKeysAmong(keys: readonly KeyView[]): PlaygroundKeys {
  const own = keys.filter(isPlaygroundKey);
  return { generation: own.length, newest: own[0] };
}
