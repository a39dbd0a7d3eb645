import { isObject } from '../exchange/json-object';
import { contentOf } from '../shape/reply-parts';
import { ensure, integer, jsonObject, must, object, text } from '../shape/rules';
import type { ConformanceCase } from '../suite/conformance-case';
import type { Charges } from '../suite/spending';
import { OUTPUT_TOKENS } from '../suite/spending';
import { choicesOf, contentChunksOf } from './stream-parts';

const ONE: Charges = { requests: 1 };
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
};
const person = {
  messages: [{ role: 'user', content: 'Ada is 36 years old. Answer in JSON, with her name and age.' }],
  response_format: { type: 'json_schema', json_schema: { name: 'person', strict: true, schema } },
};

function mustBePerson(content: unknown): void {
  must(content, jsonObject, 'content');
  const document = JSON.parse(content as string) as unknown;
  must(document, object({ name: text, age: integer() }), 'content');
  const fields = isObject(document) ? Object.keys(document) : [];
  ensure(fields.length === 2, `content holds ${fields.join(', ')}`);
}

export const formats: readonly ConformanceCase[] = [
  {
    section: '2.1',
    promise: 'response_format json_schema: the content is a document of that schema',
    charges: ONE,
    run: async (conversation) => {
      const model = conversation.models.structured.id;
      mustBePerson(contentOf((await conversation.serve({ ...person, model })).json()));
    },
  },
  {
    section: '2.1',
    promise: 'response_format json_schema, streamed: the deltas make such a document',
    charges: ONE,
    run: async (conversation) => {
      const model = conversation.models.structured.id;
      const contents = contentChunksOf(await conversation.serve({ ...person, model, stream: true }));
      mustBePerson(contents.map((each) => choicesOf(each)[0]?.delta?.content ?? '').join(''));
    },
  },
  {
    section: '2.1',
    promise: 'response_format json_object: the content is an object',
    charges: ONE,
    run: async (conversation) => {
      const model = conversation.models.structured.id;
      const messages = [{ role: 'user', content: 'Reply with "Ada". Answer in JSON.' }];
      const fields = { model, messages, max_tokens: OUTPUT_TOKENS, response_format: { type: 'json_object' } };
      must(contentOf((await conversation.serve(fields)).json()), jsonObject, 'content');
    },
  },
];
