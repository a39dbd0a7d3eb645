import type { Answer, ChatRequest } from './chat-request';
import { HonestProvider } from './honest-provider';

/** Writes what it is asked to and claims three times as many tokens for it. */
export class InflatesCompletionUsage extends HonestProvider {
  protected override answer(request: ChatRequest): Answer {
    const answer = super.answer(request);
    const { promptTokens, completionTokens } = answer.usage;
    return { ...answer, usage: { promptTokens, completionTokens: completionTokens * 3 } };
  }
}
