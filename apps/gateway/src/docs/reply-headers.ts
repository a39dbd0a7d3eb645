import type { OpenAPIObject } from '@nestjs/swagger';

type Responses = Record<string, { headers?: object }>;

const HEADERS = {
  Challenge: { description: '`Bearer realm="svc"`', schema: { type: 'string' as const } },
  RetryAfter: {
    description: 'Whole seconds, 1 to 30, on a 429 up to 60.',
    schema: { type: 'integer' as const },
  },
  EntityTag: { description: 'For `If-None-Match`.', schema: { type: 'string' as const } },
};
const one = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` });
const RETRY_AFTER = { 'Retry-After': one('RetryAfter') };
/** They follow from the status alone (`sendError`), on whatever route. */
const HEADERS_OF_ERRORS: Record<string, object> = {
  401: { 'WWW-Authenticate': one('Challenge') },
  429: RETRY_AFTER,
  502: RETRY_AFTER,
  503: RETRY_AFTER,
};

/** The document with the headers that many routes have in common, beside what each says of its own. */
export function withHeaders(document: OpenAPIObject): OpenAPIObject {
  for (const { get, post, patch, delete: remove } of Object.values(document.paths)) {
    for (const operation of [get, post, patch, remove]) {
      if (operation) describeReplies(operation.responses as Responses);
    }
  }
  return { ...document, components: { ...document.components, headers: HEADERS } };
}

function describeReplies(responses: Responses): void {
  for (const [status, response] of Object.entries(responses)) {
    const isKept = '304' in responses && (status === '200' || status === '304');
    const more = { ...HEADERS_OF_ERRORS[status], ...(isKept && { ETag: one('EntityTag') }) };
    if (Object.keys(more).length > 0) response.headers = { ...response.headers, ...more };
  }
}
