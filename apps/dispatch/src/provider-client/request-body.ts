/** Fields of the client's body that dispatch writes itself, or that mean nothing to a provider. */
const NOT_PASSED_ON = {
  model: undefined,
  stream: undefined,
  stream_options: undefined,
  max_tokens: undefined,
  max_completion_tokens: undefined,
};

/**
 * The client's part of what providers are sent, as JSON: the same for all attempts, so written once a run.
 * @param body a chat-completions body in OpenAI's shape
 */
export function clientFields(body: object): string {
  return JSON.stringify({ ...body, ...NOT_PASSED_ON });
}

/** What one offer needs to be asked. */
export interface RequestParts {
  /** From `clientFields`. */
  fields: string;
  upstreamModel: string;
  maxTokens: number;
  stream: boolean;
}

/** The body of a request to a provider. `max_tokens` is always sent: it bounds what the hold has to cover. */
export function requestBody({ fields, upstreamModel, maxTokens, stream }: RequestParts): string {
  const mode = stream ? '"stream":true,"stream_options":{"include_usage":true}' : '"stream":false';
  const own = `{"model":${JSON.stringify(upstreamModel)},"max_tokens":${maxTokens},${mode}`;
  return fields === '{}' ? `${own}}` : `${own},${fields.slice(1)}`;
}
