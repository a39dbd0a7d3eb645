import type { ModelView } from '@svc/contracts';
import type { ErrorPayload } from '@svc/errors';
import type { ChatCompletionRequest } from '@svc/openai-api';

/** Without `max_tokens` no more than this is generated, whatever the model could. */
const DEFAULT_MAX_TOKENS = 16_384;

/** How many tokens a request without a limit may generate when its prompt is short. */
export function defaultLimitOf({ capabilities }: ModelView): number {
  return Math.min(capabilities.maxOutputTokens, DEFAULT_MAX_TOKENS);
}

/**
 * How many tokens the request may generate: what it asks for, or min(maxOutputTokens, 16,384, what the context
 * leaves).
 * @param inputEstimate upper bound on the prompt, tokens
 * @returns invalid_request, as a value, when prompt or limit are more than the model takes
 */
export function outputLimitOf(
  request: ChatCompletionRequest,
  model: ModelView,
  inputEstimate: number,
): number | ErrorPayload {
  const { maxOutputTokens } = model.capabilities;
  const remainder = model.contextLimit - inputEstimate;
  if (remainder < 1) {
    return refusal(
      `The prompt may need ${inputEstimate} tokens; the context of "${model.id}" holds ${model.contextLimit}.`,
      'messages',
    );
  }
  const param = request.max_tokens === undefined ? 'max_completion_tokens' : 'max_tokens';
  const asked = request.max_tokens ?? request.max_completion_tokens;
  if (asked === undefined) return Math.min(defaultLimitOf(model), remainder);
  if (asked > maxOutputTokens) {
    return refusal(`"${model.id}" generates at most ${maxOutputTokens} tokens.`, param);
  }
  if (asked > remainder) {
    return refusal(
      `The prompt may need ${inputEstimate} tokens, which leaves ${remainder} of the context of "${model.id}".`,
      param,
    );
  }
  return asked;
}

function refusal(message: string, param: string): ErrorPayload {
  return { code: 'invalid_request', message, param };
}
