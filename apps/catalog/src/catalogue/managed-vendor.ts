import type { ManagedVendorDefinition } from '@svc/contracts';
import type { ManagedVendor } from '../definitions/definitions';

/**
 * A vendor's definition as it is stored. One without a credential keeps that of before, so that a price can change without the secret at
 * hand; but a credential is sealed for its payee and endpoint, and opens for no others. An empty one takes it away.
 */
export function storedVendor(
  definition: ManagedVendorDefinition,
  before: ManagedVendor | undefined,
): ManagedVendor {
  const { credential: given, retired = false, ...others } = definition;
  const { outputLimitField = 'max_tokens', reasoningField = 'none', ...rest } = others;
  const isSameOwner = before?.payee === rest.payee && before.endpoint === rest.endpoint;
  const credential = given ?? (isSameOwner ? before.credential : undefined);
  return { ...rest, retired, outputLimitField, reasoningField, ...(credential && { credential }) };
}
