import type { Unchecked } from './provider-reply';

/** Thrown when a provider says under status 200 that it failed: in the middle of its stream, or instead of a reply. */
export class ProviderErrorEvent extends Error {}

/** @throws ProviderErrorEvent when that is what it says */
export function checkNoError({ error }: Unchecked): void {
  if (error !== undefined && error !== null) throw new ProviderErrorEvent();
}
