import type { Problem } from '@svc/validation';

/** What is known by its being there only: whatever is in it goes no further. */
export class Unread {}

export const MAX_MODALITIES = 16;

/** A list of words; which of them are offered is not asked here. */
export function checkModalities(value: unknown): Problem | undefined {
  const fits =
    Array.isArray(value) && value.length <= MAX_MODALITIES && value.every((one) => typeof one === 'string');
  return fits ? undefined : { path: '', message: `must be an array of at most ${MAX_MODALITIES} strings` };
}

/** Those of a request. */
interface UnofferedFields {
  functions?: Unread[];
  modalities?: string[];
}

/** Removes what asks for nothing but what is offered: it makes no request another. */
export function dropOffered(request: UnofferedFields): void {
  if (request.functions?.length === 0) delete request.functions;
  if (request.modalities?.every((one) => one === 'text')) delete request.modalities;
}
