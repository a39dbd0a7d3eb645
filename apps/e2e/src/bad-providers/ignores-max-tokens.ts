import type { Answer, ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider } from '../honest-provider/honest-provider';

/** Pretends to be a model server like any other; writes on past `max_tokens`, because tokens are what it is paid for. */
export class IgnoresMaxTokens extends HonestProvider {
  protected override answer(request: ChatRequest): Answer {
    return super.answer({ ...request, max_tokens: undefined });
  }
}
