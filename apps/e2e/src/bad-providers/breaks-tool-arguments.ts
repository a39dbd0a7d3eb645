import type { Answer, ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider } from '../honest-provider/honest-provider';

/** Calls the right tool, with arguments that are no JSON: the closing brace is missing. */
export class BreaksToolArguments extends HonestProvider {
  protected override answer(request: ChatRequest): Answer {
    const answer = super.answer(request);
    const calls = answer.calls.map((call) => ({ ...call, arguments: call.arguments.replace(/}$/, '') }));
    return { ...answer, calls };
  }
}
