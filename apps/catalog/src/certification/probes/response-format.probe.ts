import { isJsonObject } from '@svc/validation';
import { Ajv } from 'ajv';
import { askBothWays, judgeReplies } from './judge-replies';
import type { Observed } from './judge-replies';
import type { Probe, ProbeTerms, Verdict } from './probe';
import { ROOM_TO_ANSWER, userSays } from './questions';

const SCHEMA = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    country: { type: 'string' },
    continent: { type: 'string', enum: ['Africa', 'America', 'Asia', 'Australia', 'Europe'] },
    landmarks: { type: 'array', items: { type: 'string' } },
  },
  required: ['city', 'country', 'continent', 'landmarks'],
  additionalProperties: false,
};
const matchesSchema = new Ajv().compile(SCHEMA);

const OBJECT_BODY = userSays('Reply with a JSON object: {"city": "Paris", "country": "France"}', {
  response_format: { type: 'json_object' },
});
const SCHEMA_BODY = userSays(
  'Describe Paris in JSON: its city, country and continent, and at most two landmarks. Be brief.',
  { response_format: { type: 'json_schema', json_schema: { name: 'place', strict: true, schema: SCHEMA } } },
);

/** `response_format` with `json_object` and with `json_schema`. */
export const responseFormat: Probe = {
  async run(examination) {
    const ask = (body: Record<string, unknown>) =>
      askBothWays(examination, { body, maxTokens: ROOM_TO_ANSWER });
    const [ofObject, ofSchema] = await Promise.all([ask(OBJECT_BODY), ask(SCHEMA_BODY)]);
    return judgeResponseFormat(ofObject, ofSchema, examination.terms);
  },
};

export function judgeResponseFormat(
  ofObject: readonly Observed[],
  ofSchema: readonly Observed[],
  terms: ProbeTerms,
): Verdict {
  const object = judgeReplies('Asked with response_format "json_object"', ofObject, terms, ({ content }) =>
    isJsonObject(parsed(content)) ? undefined : 'its reply was not a JSON object',
  );
  if (!object.passed) return object;
  return judgeReplies('Asked with response_format "json_schema"', ofSchema, terms, ({ content }) =>
    matchesSchema(parsed(content)) ? undefined : 'its reply did not match the schema',
  );
}

function parsed(content: string | null): unknown {
  try {
    return JSON.parse(content ?? '');
  } catch {
    return undefined;
  }
}
