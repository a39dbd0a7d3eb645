import type { Answer, ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider } from '../honest-provider/honest-provider';

/**
 * Writes what it is asked to and claims twice as many tokens for it, though never more than `max_tokens`: that would be seen.
 */
export class InflatesCompletionUsage extends HonestProvider {
  protected override answer(request: ChatRequest): Answer {
    const answer = super.answer(request);
    const { promptTokens, completionTokens } = answer.usage;
    const claimed = Math.min(completionTokens * 2, request.max_tokens ?? Infinity);
    return { ...answer, usage: { promptTokens, completionTokens: claimed } };
  }
}
