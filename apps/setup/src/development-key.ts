import { generateApiKey, hashApiKey, isWellFormedApiKey, lastFourOf } from '@svc/api-key';
import { billingContracts } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import type { CallService } from './call-service';

export interface DevelopmentKeyRequest {
  wallet: string;
  /** The key of an earlier run; kept as long as it has the environment's form. */
  known?: string;
  prefix: string;
  pepper: string;
}

/**
 * Sees to it that billing knows a key for the wallet: the one of an earlier run, also after the database was emptied,
 * else a new one.
 * @returns the raw key
 */
export async function ensureDevelopmentKey(
  call: CallService,
  request: DevelopmentKeyRequest,
): Promise<string> {
  const { wallet, known, prefix, pepper } = request;
  const apiKey = known && isWellFormedApiKey(known, prefix) ? known : generateApiKey(prefix);
  const keyHash = hashApiKey(apiKey, pepper);
  if (await isKnown(call, keyHash, wallet)) return apiKey;
  const lastFour = lastFourOf(apiKey);
  await call(billingContracts.createKey, { wallet, keyHash, lastFour, name: 'local development' });
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
