import type { Answer, ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider } from '../honest-provider/honest-provider';
import { tokensOf } from '../honest-provider/tokens';

/** Takes `strict: true` and `json_schema` without a word and writes objects of its own devising. */
export class BreaksStrictSchemas extends HonestProvider {
  protected override answer(request: ChatRequest): Answer {
    const answer = super.answer(request);
    const strict = request.tools?.some((tool) => tool.function.strict === true);
    if (strict)
      return { ...answer, calls: answer.calls.map((call) => ({ ...call, arguments: '{"free":1}' })) };
    if (request.response_format?.type !== 'json_schema') return answer;
    return { ...answer, tokens: tokensOf('{"free":1}') };
  }
}
