import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider } from '../honest-provider/honest-provider';
import { tokensOf } from '../honest-provider/tokens';

/**
 * Writes the bearer token that it was called with into its answers, and into its refusals: a careless gateway does that, and whoever
 * reads a public report would have the token.
 */
export class EchoesSecrets extends HonestProvider {
  private heard = '';

  protected override answer(request: ChatRequest): Answer {
    const answer = super.answer(request);
    if (answer.calls.length > 0 || request.response_format) return answer;
    return { ...answer, tokens: [...tokensOf(`You are ${this.heard}. `), ...answer.tokens] };
  }

  protected override handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.heard = request.headers.authorization ?? '';
    response.setHeader('x-you-are', this.heard);
    return super.handle(request, response);
  }
}
