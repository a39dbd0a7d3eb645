import type { ModelView } from '@svc/contracts';
import type { ErrorPayload } from '@svc/errors';
import type { ChatCompletionRequest } from '@svc/openai-api';
import type { RunBody } from './run-body';

/** Without `max_tokens` no more than this is generated, whatever the model could. */
const DEFAULT_MAX_TOKENS = 16_384;
/**
 * What may be generated where the estimate leaves less, though the prompt may well fit: this many tokens, or this part of what the least
 * leaves if that is less. Providers refuse a prompt and a limit that are more than their context together. With a quarter, prose of 4.3
 * characters a token is served to 95 % of the context; with all that the least leaves, it never would be.
 */
const FLOOR_TOKENS = 1_024;
const FLOOR_PART = 1 / 4;

/** What a prompt is measured to need, tokens. */
export type PromptSize = Pick<RunBody, 'inputEstimate' | 'inputLeast'>;

/** How many tokens a request without a limit may generate when its prompt is short. */
export function defaultLimitOf({ capabilities }: ModelView): number {
  return Math.min(capabilities.maxOutputTokens, DEFAULT_MAX_TOKENS);
}

/**
 * How many tokens the request may generate: what it asks for, or min(maxOutputTokens, 16,384, what the context
 * leaves).
 * @returns invalid_request, as a value, when the least that the prompt can need or the limit are more than the model takes
 */
export function outputLimitOf(
  request: ChatCompletionRequest,
  model: ModelView,
  { inputEstimate, inputLeast }: PromptSize,
): number | ErrorPayload {
  const { maxOutputTokens } = model.capabilities;
  const room = model.contextLimit - inputLeast;
  if (room < 1) {
    return refusal(`The prompt needs ${inputLeast} tokens or more; ${contextOf(model)}.`, 'messages');
  }
  const param = request.max_tokens === undefined ? 'max_completion_tokens' : 'max_tokens';
  const asked = request.max_tokens ?? request.max_completion_tokens;
  if (asked === undefined) {
    const floor = Math.min(FLOOR_TOKENS, Math.ceil(room * FLOOR_PART));
    return Math.min(defaultLimitOf(model), Math.max(model.contextLimit - inputEstimate, floor));
  }
  if (asked > maxOutputTokens) {
    return refusal(`"${model.id}" generates at most ${maxOutputTokens} tokens.`, param);
  }
  if (asked > room) {
    return refusal(
      `The prompt needs ${inputLeast} tokens or more, which leaves ${room}; ${contextOf(model)}.`,
      param,
    );
  }
  return asked;
}

/** Clients know by "maximum context length" that the conversation is to be shortened. */
function contextOf({ id, contextLimit }: ModelView): string {
  return `the maximum context length of "${id}" is ${contextLimit}`;
}

function refusal(message: string, param: string): ErrorPayload {
  return { code: 'invalid_request', message, param };
}
