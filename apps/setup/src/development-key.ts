import { generateApiKey, hashApiKey, isWellFormedApiKey, lastFourOf } from '@svc/api-key';
import { billingContracts } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import type { CallService } from './call-service';

interface DevelopmentKeyRequest {
  wallet: string;
  /** The key of an earlier run; kept as long as it has the environment's form. */
  known?: string;
  prefix: string;
  pepper: string;
}

/**
 * Sees to it that billing knows a key for the wallet: the one of an earlier run, also after the database was emptied,
 * else a new one (the earlier one may have been revoked since).
 * @returns the raw key
 */
export async function ensureDevelopmentKey(
  call: CallService,
  request: DevelopmentKeyRequest,
): Promise<string> {
  const { known, prefix } = request;
  if (known && isWellFormedApiKey(known, prefix)) {
    try {
      return await ensureKey(call, request, known);
    } catch (error) {
      if (!SvcError.is(error)) throw error;
    }
  }
  return ensureKey(call, request, generateApiKey(prefix));
}

async function ensureKey(
  call: CallService,
  { wallet, pepper }: DevelopmentKeyRequest,
  apiKey: string,
): Promise<string> {
  const keyHash = hashApiKey(apiKey, pepper);
  if (await isKnown(call, keyHash, wallet)) return apiKey;
  try {
    const lastFour = lastFourOf(apiKey);
    await call(billingContracts.createKey, { wallet, keyHash, lastFour, name: 'local development' });
  } catch (error) {
    // A call that was repeated because its answer got lost finds its own key there.
    if (!(await isKnown(call, keyHash, wallet))) throw error;
  }
  return apiKey;
}

async function isKnown(call: CallService, keyHash: string, wallet: string): Promise<boolean> {
  try {
    return (await call(billingContracts.checkKey, { keyHash })).wallet === wallet;
  } catch (error) {
    if (SvcError.is(error) && error.code === 'invalid_api_key') return false;
    throw error;
  }
}
