import type { UsageLineSelection } from '@svc/contracts';
import type { UsageExportQuery } from './usage-query.dto';

/** Billing's names of fields that clients know by others. */
export const BILLING_NAMES = { keyId: 'key' } as const;

/** What billing is asked for: always of the wallet that is signed in. */
export function selectionOf(wallet: string, query: UsageExportQuery): UsageLineSelection {
  const { from, to, key, model, provider, outcome } = query;
  return {
    wallet,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(key !== undefined && { keyId: key }),
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider: provider.toLowerCase() }),
    ...(outcome !== undefined && { outcome }),
  };
}
