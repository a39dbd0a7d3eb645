import type { Answer, ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider } from '../honest-provider/honest-provider';

/** Treats every `tool_choice` as `auto`: answers with text where a call was required, and calls where none may be. */
export class IgnoresToolChoice extends HonestProvider {
  protected override answer(request: ChatRequest): Answer {
    if (request.tool_choice === 'none') return super.answer({ ...request, tool_choice: 'required' });
    return super.answer({ ...request, tools: request.tool_choice === 'auto' ? request.tools : undefined });
  }
}
