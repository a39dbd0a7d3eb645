import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import type { Chat } from './chat';
import type { ChatModel } from './settings-panel';
import { useChatModels } from './use-playground';

/** The model that is talked to: as the address says, as it was, or else the cheapest with tools that anybody serves. */
export function useChosenModel(chat: Chat, chosen: string) {
  const { data: models, error, refetch } = useChatModels();
  const [params, setParams] = useSearchParams();
  const asked = params.get('model');
  useEffect(() => {
    if (!models) return;
    if (asked !== null) {
      // Said once: from here on it is chosen on the page.
      if (models.some(({ id }) => id === asked)) chat.change({ model: asked });
      setParams({}, { replace: true });
    } else if (!models.some(({ id }) => id === chosen)) {
      chat.change({ model: firstOf(models)?.id ?? '' });
    }
  }, [models, asked, chosen, chat, setParams]);
  const model = models?.find(({ id }) => id === chosen);
  return { models, model, error, retry: () => void refetch() };
}

function firstOf(models: readonly ChatModel[]): ChatModel | undefined {
  const priced = models.filter(({ svc }) => svc.pricing !== undefined && !svc.cortex);
  const priceOf = ({ svc }: ChatModel) => BigInt(svc.pricing?.output_price_per_mtok ?? 0);
  const cheapest = [...priced].sort((a, b) => (priceOf(a) < priceOf(b) ? -1 : 1));
  return cheapest.find(({ svc }) => svc.capabilities.tools) ?? cheapest[0] ?? models[0];
}
