import { hashKey, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { callRaw } from '../../api/client';
import type { ChatBody } from '../../code-samples/chat-samples';
import { Chat } from './chat';
import type { ChatState } from './chat';

/** Among what was read from the gateway, so that it goes where that goes: with a reload, a sign-out, another wallet. */
const KEY = ['playground', 'conversation'];

/** The conversation of whoever is signed in; it outlasts visits of other pages, and nothing else. */
export function useChat(): { chat: Chat; state: ChatState } {
  const queries = useQueryClient();
  const [chat] = useState(() => chatIn(queries));
  return { chat, state: useSyncExternalStore(chat.subscribe, chat.state) };
}

function chatIn(queries: QueryClient): Chat {
  const known = queries.getQueryData<Chat>(KEY);
  if (known) return known;
  const chat = new Chat(ask);
  queries.setQueryDefaults(KEY, { gcTime: Infinity, staleTime: Infinity });
  queries.setQueryData(KEY, chat);
  const cache = queries.getQueryCache();
  const unsubscribe = cache.subscribe(({ type, query }) => {
    if (type !== 'removed' || query.queryHash !== hashKey(KEY)) return;
    unsubscribe();
    // Whoever is signed in next may be somebody else, and look at a page that was open before. Not at once: the page that is open is told
    // of the session first, and goes when there is none.
    setTimeout(() => chat.reset());
  });
  return chat;
}

function ask(body: ChatBody, signal: AbortSignal): Promise<Response> {
  return callRaw('/portal/api/playground/chat/completions', {
    method: 'POST',
    body: { ...body, stream_options: { include_usage: true } },
    signal,
  });
}
