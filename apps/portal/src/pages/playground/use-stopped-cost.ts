import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api, dataOf } from '../../api/client';
import { queryKeys } from '../../api/query-keys';
import type { AssistantTurn } from './conversation';

/** The charge of a reply that was stopped is reckoned when the gateway has noticed: soon after. */
const QUESTIONS = 8;
const PAUSE_MS = 800;

/** Learns what a reply that was stopped has cost: its stream ended before it could say. */
export function useStoppedCost(
  { id, state, facts }: AssistantTurn,
  isRunning: boolean,
  learn: (turnId: string, chargedUsdc: string) => void,
): void {
  const { requestId = '', chargedUsdc } = facts;
  const { data } = useQuery({
    queryKey: [...queryKeys.usage, 'stopped', requestId],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/portal/api/usage/{request_id}', { params: { path: { request_id: requestId } }, signal }),
      ),
    enabled: state === 'stopped' && requestId !== '' && chargedUsdc === undefined,
    retry: QUESTIONS,
    retryDelay: PAUSE_MS,
  });
  const charged = data?.charged_usdc;
  useEffect(() => {
    if (charged !== undefined && chargedUsdc === undefined && !isRunning) learn(id, charged);
  }, [charged, chargedUsdc, isRunning, id, learn]);
}
