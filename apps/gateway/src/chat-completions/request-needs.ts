import type { ModelView, RequestNeeds } from '@svc/contracts';
import type { ChatCompletionRequest } from '@svc/openai-api';
import { certifiedTools, strictToolOf, toolChoiceOf } from './supported-features';

/**
 * What the request asks for beyond text, in the words in which offers are certified. It asks for no other choice and no
 * strict schemas than the model's contract promises: where contracts are not enforced (production), what is beyond goes to an offer that
 * has what the contract does promise. Calls in parallel are not taken back: without them an agent's work is another.
 * @param request of which `unsupportedIn` found nothing
 * @param models those that may answer, at least one; where contracts are enforced, all of them promise what is asked
 * @returns undefined for text alone
 */
export function needsOf(
  request: ChatCompletionRequest,
  models: readonly ModelView[],
): RequestNeeds | undefined {
  const { response_format: format } = request;
  const [model] = models;
  const needs: RequestNeeds = {
    ...(request.tools && model && toolNeedsOf(request, model)),
    ...(format && format.type !== 'text' && { structuredOutputs: true }),
  };
  return Object.keys(needs).length > 0 ? needs : undefined;
}

function toolNeedsOf(request: ChatCompletionRequest, model: ModelView): RequestNeeds {
  const certified = certifiedTools(model);
  const choice = toolChoiceOf(request);
  const { tool_choice: choices } = certified;
  return {
    toolChoice: choices.includes(choice) ? choice : (choices.find((each) => each === 'auto') ?? choices[0]),
    ...(request.parallel_tool_calls && { parallelToolCalls: true }),
    ...(strictToolOf(request) !== -1 && certified.strict_schemas && { strictSchemas: true }),
  };
}
