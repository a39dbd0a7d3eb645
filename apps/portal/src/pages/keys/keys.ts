import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client';
import type { components } from '../../api/generated/schema';
import { queryKeys } from '../../api/query-keys';

type Schemas = components['schemas'];
export type WalletKey = Schemas['WalletKey'];
export type KeyChange = Schemas['KeyChange'];
export type BudgetReset = 'never' | 'daily' | 'weekly' | 'monthly';

export function useKeys() {
  return useQuery({
    queryKey: queryKeys.keys,
    queryFn: ({ signal }) => dataOf(api.GET('/portal/api/keys', { signal })),
    select: ({ keys }) => keys,
  });
}

/** What changes keys; each makes the list read anew. Values of keys pass through here and stay in no cache. */
export function useKeyActions() {
  const queries = useQueryClient();
  const changed = () => queries.invalidateQueries({ queryKey: queryKeys.keys });
  const then = async <T>(reply: Promise<{ data?: T }>): Promise<T> => {
    const data = await dataOf(reply);
    void changed();
    return data;
  };
  return {
    create: (body: Schemas['KeyCreation']) => then(api.POST('/portal/api/keys', { body })),
    change: (id: string, body: KeyChange) =>
      then(api.PATCH('/portal/api/keys/{id}', { params: { path: { id } }, body })),
    rotate: (id: string, body: Schemas['KeyRotation']) =>
      then(api.POST('/portal/api/keys/{id}/rotate', { params: { path: { id } }, body })),
    revoke: (id: string) => then(api.POST('/portal/api/keys/{id}/revoke', { params: { path: { id } } })),
  };
}
