import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { queryKeys } from '../../api/query-keys';
import { announce } from '../../design/announcer';
import type { Turn } from './conversation';

/** When a reply ends, screen readers hear of it, and what it was charged to is read anew. */
export function useSaidReplies(turns: readonly Turn[]): void {
  const queries = useQueryClient();
  const last = turns.at(-1);
  const state = last?.role === 'assistant' ? last.state : undefined;
  const cost = last?.role === 'assistant' ? last.facts.svc?.cost_usdc : undefined;
  const before = useRef(state);
  useEffect(() => {
    const wasStreaming = before.current === 'streaming';
    before.current = state;
    if (state === 'streaming') announce('The model answers');
    if (!wasStreaming || state === undefined || state === 'streaming') return;
    announce(wordsOfEnd(state, cost));
    for (const queryKey of [queryKeys.keys, queryKeys.wallet, queryKeys.usage]) {
      void queries.invalidateQueries({ queryKey });
    }
  }, [state, cost, queries]);
}

function wordsOfEnd(state: 'done' | 'stopped' | 'failed', cost: string | undefined): string {
  if (state === 'failed') return 'The reply failed';
  if (state === 'stopped') return 'Stopped';
  return `The reply is complete${cost === undefined ? '' : `, for ${cost} USDC`}`;
}
