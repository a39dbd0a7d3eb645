import type { Answer, ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider } from '../honest-provider/honest-provider';
import { DONE } from '../honest-provider/wire-format';

/**
 * Its streams just end: no finish reason, no `[DONE]`, the connection closed as if all were said. Nobody can tell such an answer from
 * one that broke off.
 */
export class EndsSilently extends HonestProvider {
  protected override parts(request: ChatRequest, answer: Answer): string[] {
    const parts = super.parts(request, answer);
    if (!request.stream) return parts;
    return parts.filter((part) => part !== DONE && !/"finish_reason":"/.test(part));
  }
}
