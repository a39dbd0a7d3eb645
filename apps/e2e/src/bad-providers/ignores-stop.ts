import type { Answer, ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider } from '../honest-provider/honest-provider';

/** Pretends to know `stop`: takes the field without a word and writes on past the sequence. */
export class IgnoresStop extends HonestProvider {
  protected override answer(request: ChatRequest): Answer {
    return super.answer({ ...request, stop: undefined });
  }
}
