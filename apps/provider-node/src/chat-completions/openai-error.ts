/** The body of an error reply in OpenAI's shape. */
interface OpenAiErrorBody {
  error: { message: string; type: string; param: string | null; code: string | null };
}

interface OpenAiErrorFields {
  readonly status: number;
  readonly type: 'invalid_request_error' | 'rate_limit_error' | 'server_error';
  readonly code: string;
  readonly message: string;
  readonly param?: string;
  readonly retryAfterSeconds?: number;
}

/** An error the caller sees, as OpenAI's API words it. The message never holds a prompt or a key. */
export class OpenAiError extends Error {
  constructor(readonly fields: OpenAiErrorFields) {
    super(fields.message);
    this.name = 'OpenAiError';
  }

  get body(): OpenAiErrorBody {
    const { message, type, param, code } = this.fields;
    return { error: { message, type, param: param ?? null, code } };
  }
}

/** Thrown for a request that is malformed; `param` is the path of the field. */
export function invalidRequest(message: string, param?: string, status = 400): OpenAiError {
  return new OpenAiError({ status, type: 'invalid_request_error', code: 'invalid_request', message, param });
}

/** Thrown when the node does not answer to the model's name. */
export function modelNotFound(): OpenAiError {
  const message = 'This provider does not serve that model. GET /v1/models lists those it serves.';
  return new OpenAiError({
    status: 404,
    type: 'invalid_request_error',
    code: 'model_not_found',
    message,
    param: 'model',
  });
}

/** Thrown when the bearer token is missing or another. */
export function invalidApiKey(): OpenAiError {
  const message = 'Missing or wrong bearer token.';
  return new OpenAiError({ status: 401, type: 'invalid_request_error', code: 'invalid_api_key', message });
}

/** Thrown when as many requests are under way as the node takes. */
export function tooManyRequests(): OpenAiError {
  const message = 'As many requests are under way as this provider takes. Try again shortly.';
  const type = 'rate_limit_error';
  return new OpenAiError({ status: 429, type, code: 'rate_limit_exceeded', message, retryAfterSeconds: 1 });
}

/** Thrown for what the caller can neither cause nor mend; `message` tells nothing of the inside. */
export function serverError(status: number, code: string, message: string): OpenAiError {
  return new OpenAiError({ status, type: 'server_error', code, message });
}
