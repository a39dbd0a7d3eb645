import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from './client';
import type { components } from './generated/schema';
import { queryKeys } from './query-keys';

export type ChatModel = components['schemas']['ModelCard'];

/** The models that chat completions can be asked of. Also there when nobody can say how the market stands. */
export function useChatModels() {
  return useQuery({
    queryKey: queryKeys.models,
    queryFn: async ({ signal }) => {
      const { data } = await dataOf(api.GET('/v1/models', { signal }));
      return data.filter(({ svc }) => svc.capabilities.workload === 'chat');
    },
    staleTime: 30_000,
  });
}
