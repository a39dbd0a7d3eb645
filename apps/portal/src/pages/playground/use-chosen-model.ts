import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { useChatModels } from '../../api/chat-models';
import { suggestedModel } from '../../api/suggested-model';
import type { Chat } from './chat';

/**
 * The model that is talked to: as the address says, as it was, or else the suggested one. One that is not on the market stays what was
 * chosen; the settings say so.
 */
export function useChosenModel(chat: Chat, chosen: string) {
  const { data: models, error, refetch } = useChatModels();
  const [params, setParams] = useSearchParams();
  const asked = params.get('model');
  useEffect(() => {
    if (!models) return;
    if (asked !== null) {
      // Said once: from here on it is chosen on the page.
      if (asked !== '') chat.change({ model: asked });
      // Who is on the way to another page is not brought back: the address is ahead of what is shown.
      if (new URLSearchParams(window.location.search).get('model') === asked)
        setParams({}, { replace: true });
    } else if (chosen === '') {
      chat.change({ model: suggestedModel(models)?.id ?? '' });
    }
  }, [models, asked, chosen, chat, setParams]);
  const model = models?.find(({ id }) => id === chosen);
  return { models, model, error, retry: () => void refetch() };
}
