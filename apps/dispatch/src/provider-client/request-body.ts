import type { OutputLimitField } from '@svc/contracts';

/** Fields of the client's body that dispatch writes itself. */
const OWN_FIELDS = ['model', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens'] as const;
const WITHOUT_OWN_FIELDS = Object.fromEntries(OWN_FIELDS.map((field) => [field, undefined]));

/**
 * The client's part of what providers are sent, as JSON: the same for all attempts, so written once a run.
 * @param body a chat-completions body in OpenAI's shape
 * @param rawBody the same as JSON, where it is at hand
 */
export function clientFields(body: object, rawBody?: string): string {
  const hasOwnFields = OWN_FIELDS.some((field) => Object.hasOwn(body, field));
  if (rawBody !== undefined && !hasOwnFields) return rawBody;
  return JSON.stringify(hasOwnFields ? { ...body, ...WITHOUT_OWN_FIELDS } : body);
}

/** What one offer needs to be asked. */
interface RequestParts {
  /** From `clientFields`. */
  fields: string;
  upstreamModel: string;
  maxTokens: number;
  /** `max_tokens` unless told. */
  outputLimitField?: OutputLimitField;
  stream: boolean;
}

/** The body of a request to a provider. The output's limit is always sent: it bounds what the hold has to cover. */
export function requestBody({
  fields,
  upstreamModel,
  maxTokens,
  outputLimitField = 'max_tokens',
  stream,
}: RequestParts): string {
  const mode = stream ? '"stream":true,"stream_options":{"include_usage":true}' : '"stream":false';
  const own = `{"model":${JSON.stringify(upstreamModel)},"${outputLimitField}":${maxTokens},${mode}`;
  return fields === '{}' ? `${own}}` : `${own},${fields.slice(1)}`;
}
