import type { Answer, ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider } from '../honest-provider/honest-provider';

/** Claims that every prompt had three times the tokens it had. */
export class InflatesPromptUsage extends HonestProvider {
  protected override answer(request: ChatRequest): Answer {
    const answer = super.answer(request);
    const { promptTokens, completionTokens } = answer.usage;
    return { ...answer, usage: { promptTokens: promptTokens * 3, completionTokens } };
  }
}
