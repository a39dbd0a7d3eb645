import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ChatCompletionRequest } from '@svc/openai-api';
import { compileValidator, nestedMetadataOf } from '@svc/validation';
import { ENVIRONMENTS } from '@svc/environment';
import { Ajv2020 } from 'ajv/dist/2020';
import { getMetadataStorage } from 'class-validator';
import type { RoutingModel } from '../models/listed-model';
import { modelCardOf } from '../models/model-card';
import { KeyChange, KeyCreation, KeyRotation } from '../portal-api/keys/wallet-key.dto';
import { SignInBody } from '../portal-api/sessions/sign-in/sign-in.dto';
import { OfferSubmission, OfferWithdrawal } from '../supply/offers/offer-submission.dto';
import { ProviderRegistration } from '../supply/providers/registration.dto';
import { demoModel, routingModel, toollessModel } from '../testing/models.for-spec';
import { describeSurface } from './describe-surface';

type BodyClass = new () => object;

const BODIES: BodyClass[] = [
  ChatCompletionRequest,
  ProviderRegistration,
  OfferSubmission,
  OfferWithdrawal,
  SignInBody,
];

/** What the constraints of these rules are called in a schema. */
const BOUNDS: Record<string, string[]> = {
  isLength: ['minLength', 'maxLength'],
  maxLength: ['maxLength'],
  min: ['minimum'],
  max: ['maximum'],
  arrayMinSize: ['minItems'],
  arrayMaxSize: ['maxItems'],
};

const rulesOf = (Body: BodyClass) =>
  getMetadataStorage().getTargetValidationMetadatas(Body, '', false, false);

function withNested(Body: BodyClass): BodyClass[] {
  const nested = rulesOf(Body).flatMap(({ propertyName }) => nestedMetadataOf(Body, propertyName) ?? []);
  return [Body, ...nested.flatMap(({ type }) => withNested(type()))];
}

let document: OpenAPIObject;
beforeAll(async () => {
  document = await describeSurface();
});

describe('the OpenAPI document', () => {
  it('is the committed one (npm run openapi writes it)', () => {
    const committed = readFileSync(join(__dirname, '../../../../docs/openapi.json'), 'utf8');
    expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(document)));
  });

  it('says how a withdrawal is refused: not because of a suspension', () => {
    const responses = document.paths['/v1/offers/{id}/withdraw']?.post?.responses ?? {};
    expect(responses).not.toHaveProperty('403');
    expect(responses['409']).toMatchObject({
      description: expect.stringContaining('withdrawn already') as string,
    });
    expect(document.paths['/v1/offers']?.post?.responses).toHaveProperty('403');
  });

  it('says how fields and bodies are refused, and sessions while nobody can look for them', () => {
    const operations = Object.entries(document.paths).flatMap(
      ([path, { get, post, put, patch, delete: end }]) =>
        [get, post, put, patch, end].filter((each) => each !== undefined).map((each) => ({ path, ...each })),
    );
    expect(operations.length).toBeGreaterThan(50);
    for (const { path, parameters = [], requestBody, security = [], responses } of operations) {
      const hasFields = parameters.some((each) => 'in' in each && each.in === 'query');
      const missing = [
        ...(hasFields ? ['400'] : []),
        ...(requestBody ? ['400', '413', '415'] : []),
        ...(security.some((each) => 'session' in each) ? ['503'] : []),
      ].filter((code) => !(code in responses || 'default' in responses));
      expect([path, missing]).toEqual([path, []]);
    }
    expect(document.paths['/v1/providers/{wallet}']?.get?.responses).toHaveProperty('400');
    expect(document.paths['/portal/api/config']?.get?.responses).toHaveProperty('429');
  });

  it.each([
    ['/v1/providers/{wallet}/earnings', 'by', ['hour', 'day', 'month']],
    ['/portal/api/usage/summary', 'by', ['model', 'key', 'provider']],
    ['/portal/api/usage', 'outcome', ['served', 'unserved']],
    ['/portal/api/wallet/credits', 'kind', ['refund', 'credit']],
    ['/portal/api/operators/audit', 'of', ['catalogue', 'billing']],
    ['/portal/api/operators/providers', 'only', ['suspended']],
  ])('says of %s which words %s may be', (path, name, words) => {
    const parameter = document.paths[path]?.get?.parameters?.find(
      (each) => 'in' in each && each.name === name,
    );
    expect(parameter).toMatchObject({ schema: { type: 'string', enum: words } });
  });

  it('says that what is kept may be current', () => {
    const kept = Object.values(document.paths).flatMap(({ get }) =>
      get?.parameters?.some((each) => 'name' in each && each.name === 'If-None-Match') ? [get] : [],
    );
    expect(kept).toHaveLength(5);
    for (const { responses } of kept) expect(responses).toHaveProperty('304');
  });

  it('tells the headers that follow from a status, and refuses in JSON', () => {
    const told: Record<string, string> = { 401: 'WWW-Authenticate', 429: 'Retry-After', 503: 'Retry-After' };
    const replies = Object.entries(document.paths).flatMap(([path, { get, post, patch, delete: remove }]) =>
      [get, post, patch, remove].flatMap((operation) =>
        Object.entries(operation?.responses ?? {}).map(([status, reply]) => ({ path, status, reply })),
      ),
    );
    const refusals = replies.filter(({ status }) => status >= '400' && status < '600');
    expect(refusals.length).toBeGreaterThan(200);
    for (const { path, status, reply } of refusals) {
      const { headers = {}, content = {} } = reply as { headers?: object; content?: object };
      const header = told[status];
      expect([path, status, Object.keys(content)]).toEqual([path, status, ['application/json']]);
      if (header !== undefined)
        expect([path, status, Object.keys(headers)]).toEqual([path, status, [header]]);
    }
    const tagged = replies.filter(({ reply }) => 'ETag' in ((reply as { headers?: object }).headers ?? {}));
    expect(tagged.map(({ status }) => status).sort()).toEqual([
      ...Array<string>(5).fill('200'),
      ...Array<string>(5).fill('304'),
    ]);
  });

  it('takes keys for no tokens of another kind', () => {
    expect(document.components?.securitySchemes?.bearer).toMatchObject({
      bearerFormat: expect.stringContaining('svc_') as string,
    });
  });

  it('is OpenAPI 3.1 and refers to nothing that is not there', () => {
    expect(document.openapi).toBe('3.1.0');
    const text = JSON.stringify(document);
    // A word of 3.0.
    expect(text).not.toContain('"nullable"');
    for (const [, name] of text.matchAll(/"#\/components\/(\w+\/\w+)"/g)) {
      expect(document.components).toHaveProperty((name ?? '').split('/'));
    }
  });

  it('describes every operation and every field that is validated', () => {
    const paths = Object.keys(document.paths).sort();
    expect(paths.filter((path) => !path.startsWith('/v1/'))).toEqual(
      paths.filter((path) => path.startsWith('/portal/api/')),
    );
    expect(paths.filter((path) => path.startsWith('/v1/'))).toEqual([
      '/v1/certifications/{id}',
      '/v1/chat/completions',
      '/v1/key',
      '/v1/models',
      '/v1/models/{id}',
      '/v1/offers',
      '/v1/offers/{id}/withdraw',
      '/v1/providers',
      '/v1/providers/{wallet}',
      '/v1/providers/{wallet}/earnings',
      '/v1/receipts/{id}',
      '/v1/supply/terms',
    ]);
    for (const Body of BODIES) {
      const schema = document.components?.schemas?.[Body.name] as { properties: object };
      const validated = rulesOf(Body).map(({ propertyName }) => propertyName);
      expect(Object.keys(schema.properties).sort()).toEqual([...new Set(validated)].sort());
    }
    expect(document.components?.schemas?.ChatCompletionRequest).toMatchObject({
      required: ['model', 'messages'],
    });
  });

  it('says how large and how many each field may be that is validated', () => {
    const told = document.components?.schemas as Record<string, { properties: Record<string, object> }>;
    for (const Body of BODIES.flatMap(withNested)) {
      for (const { propertyName, name = '', constraints = [] } of rulesOf(Body)) {
        const bounds = (BOUNDS[name] ?? []).map((word, at) => [word, constraints[at] as number]);
        const field = { name: `${Body.name}.${propertyName}`, ...told[Body.name]?.properties[propertyName] };
        expect(field).toMatchObject(Object.fromEntries(bounds));
      }
    }
  });

  it('takes a null in an optional field for its absence, and in no other', () => {
    const ajv = new Ajv2020({ strict: false }).addSchema({ ...document, $id: 'openapi' });
    const message = { role: 'assistant', content: 'Hello', tool_calls: null, name: null };
    const request: object = { model: 'svc/demo@1', messages: [message] };
    const fields = document.components?.schemas?.ChatCompletionRequest as { properties: object };
    const optional = Object.keys(fields.properties).filter((name) => !(name in request));
    const nulls = { ...Object.fromEntries(optional.map((name) => [name, null])), ...request };
    const isValid = (body: object) =>
      ajv.validate({ $ref: 'openapi#/components/schemas/ChatCompletionRequest' }, body);
    expect([isValid(nulls), compileValidator(ChatCompletionRequest)(nulls).ok]).toEqual([true, true]);
    for (const name of Object.keys(request)) expect(isValid({ ...request, [name]: null })).toBe(false);
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content: null };
    const called = { ...request, messages: [{ role: 'assistant', tool_calls: [call] }] };
    expect([isValid(called), compileValidator(ChatCompletionRequest)(called).ok]).toEqual([true, true]);
    // What replies are made of has none.
    expect(ajv.validate({ $ref: 'openapi#/components/schemas/RepliedToolCall' }, call)).toBe(false);
    expect(ajv.validate({ $ref: 'openapi#/components/schemas/ChunkToolCall' }, { ...call, index: 0 })).toBe(
      false,
    );
  });

  it('says which bodies take no fields but their own', () => {
    for (const Body of [KeyCreation, KeyChange, KeyRotation]) {
      const schema = document.components?.schemas?.[Body.name] as { properties: object };
      const example = Object.fromEntries(
        Object.entries(schema.properties).map(
          ([name, { example: value }]: [string, { example?: unknown }]) => [name, value],
        ),
      );
      const { ok, ...refused } = compileValidator<object>(Body)({ ...example, surprise: 1 });
      expect([ok, refused]).toMatchObject([false, { problem: { path: 'surprise' } }]);
      expect([Body.name, schema]).toMatchObject([Body.name, { additionalProperties: false }]);
    }
  });

  it('has examples of what providers sign that pass the rules', () => {
    for (const Body of [ProviderRegistration, OfferSubmission, OfferWithdrawal]) {
      const { properties } = document.components?.schemas?.[Body.name] as {
        properties: Record<string, { example?: unknown }>;
      };
      const example = Object.fromEntries(
        Object.entries(properties).map(([name, { example: value }]) => [name, value]),
      );
      expect(compileValidator<object>(Body)(example)).toMatchObject({ ok: true });
    }
  });

  it('describes each last chunk of a stream: of one that was served, and of one that failed', () => {
    const ajv = new Ajv2020({ strict: false }).addSchema({ ...document, $id: 'openapi' });
    const chunk = {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'svc/demo@1',
      choices: [],
    };
    const served = { ...chunk, svc: { cost_usdc: '0.000123', provider: 'managed' } };
    const error = { message: 'm', type: 'server_error', code: 'no_capacity', param: null };
    const failed = { ...chunk, error, svc: { cost_usdc: '0.000000' } };
    for (const last of [served, failed]) {
      expect(ajv.validate({ $ref: 'openapi#/components/schemas/ChatCompletionChunk' }, last)).toBe(true);
    }
  });

  it('describes the model cards as they are', () => {
    const ajv = new Ajv2020({ strict: false }).addSchema({ ...document, $id: 'openapi' });
    const routing: RoutingModel = {
      ...routingModel,
      ceiling: { inputPricePerMtok: '1', outputPricePerMtok: '2' },
      candidates: [demoModel, toollessModel],
    };
    const managed = { ...toollessModel, managedPricing: demoModel.pricing };
    for (const environment of Object.values(ENVIRONMENTS)) {
      for (const model of [demoModel, toollessModel, managed, routing]) {
        const card = modelCardOf(model, environment);
        expect(ajv.validate({ $ref: 'openapi#/components/schemas/ModelCard' }, card)).toBe(true);
        const { properties } = document.components?.schemas?.ModelDetails as { properties: object };
        expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(card.svc)));
      }
    }
  });
});
