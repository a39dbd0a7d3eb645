import type { Exchange } from '../exchange/exchange';
import { mustHaveRefusalHeaders, mustRefuse, mustSayWhenToRetry } from '../shape/refusal';
import type { Refusal } from '../shape/refusal';
import { requestId, serviceReply } from '../shape/reply-shapes';
import { ensure, equal, must, object, textLike } from '../shape/rules';
import type { ConformanceCase } from '../suite/conformance-case';
import type { Conversation } from '../suite/conversation';
import type { EnvironmentTerms } from '../target/environment-terms';
import { baseUnitsOf } from '../target/price';
import { spentBy } from './charge-parts';

const NONE = 'svc/no-such-model@1';
const poor = (conversation: Conversation) => ({
  authorization: `Bearer ${conversation.prop('poorKey', '--poor-key, of an account without money')}`,
});
const suspended = (conversation: Conversation) => ({
  authorization: `Bearer ${conversation.prop('suspendedKey', '--suspended-key')}`,
});
const unknown = (conversation: Conversation) => ({ authorization: `Bearer ${conversation.unknownKey()}` });

/** Two things are wrong with a request: which of them is told. */
const ORDER: readonly [string, (conversation: Conversation) => Promise<unknown>, Refusal][] = [
  ['the key before a body that is not JSON', (it) => it.post('{', unknown(it)), { code: 'invalid_api_key' }],
  [
    'the key before the content type',
    (it) => it.post('x', { ...unknown(it), headers: { 'content-type': 'text/plain' } }),
    { code: 'invalid_api_key' },
  ],
  ['the key before the shape', (it) => it.ask({ messages: [] }, unknown(it)), { code: 'invalid_api_key' }],
  ['the key before the model', (it) => it.ask({ model: NONE }, unknown(it)), { code: 'invalid_api_key' }],
  [
    'a suspended account before the shape',
    (it) => it.ask({ messages: [] }, suspended(it)),
    { code: 'account_suspended' },
  ],
  [
    'the shape before the model',
    (it) => it.ask({ model: NONE, messages: [] }),
    { code: 'invalid_request', param: 'messages' },
  ],
  [
    'the model before its features',
    (it) => it.ask({ model: NONE, n: 2 }),
    { code: 'model_not_found', param: 'model' },
  ],
  ['the model before money', (it) => it.ask({ model: NONE }, poor(it)), { code: 'model_not_found' }],
  [
    'features before money',
    (it) => it.ask({ n: 2 }, poor(it)),
    { code: 'feature_not_supported', param: 'n' },
  ],
  [
    'limits before money',
    (it) => it.ask({ max_tokens: 900_000_000 }, poor(it)),
    { code: 'invalid_request', param: 'max_tokens' },
  ],
];

/** Where no fallback answers. */
const ORDER_ON_TESTNET: typeof ORDER = [
  [
    'capacity before money',
    (it) => it.ask({ model: it.models.unserved[0].id }, poor(it)),
    { code: 'no_capacity' },
  ],
];

const orderOf = ([what, ask, refusal]: (typeof ORDER)[number]): ConformanceCase => ({
  section: '7',
  promise: `order of the checks: ${what}`,
  run: async (conversation) => {
    await ask(conversation);
    const [exchange] = conversation.exchanges;
    if (exchange) mustRefuse(exchange, refusal);
  },
});

const order: ConformanceCase[] = [
  ...ORDER.map(orderOf),
  ...ORDER_ON_TESTNET.map((row): ConformanceCase => ({ ...orderOf(row), only: 'testnet' })),
];

const codes: ConformanceCase[] = [
  {
    section: '7',
    promise: 'model_not_found: a model that there is not, whatever its id looks like',
    run: async (conversation) => {
      for (const model of [NONE, 'gpt-4o', 'svc/']) {
        mustRefuse(await conversation.ask({ model }), { code: 'model_not_found', param: 'model' });
      }
    },
  },
  {
    section: '9',
    promise: 'another version of a model is another model',
    run: async (conversation) => {
      const [name] = conversation.models.chat.id.split('@');
      const exchange = await conversation.ask({ model: `${name}@no-such-version` });
      mustRefuse(exchange, { code: 'model_not_found', param: 'model' });
    },
  },
  {
    section: '7',
    promise: 'insufficient_quota: 402 for an account without money, for a stream too',
    run: async (conversation) => {
      for (const stream of [false, true]) {
        const exchange = await conversation.ask({ stream }, poor(conversation));
        const message = mustRefuse(exchange, { code: 'insufficient_quota' });
        must(message, textLike(/\d+\.\d{6}/, 'a message with the amounts'), 'error.message');
      }
    },
  },
  {
    section: '8',
    promise: 'insufficient_quota: a request that could cost more than the key may spend',
    run: async (conversation) => {
      const { chat } = conversation.models;
      const card = (await conversation.send({ path: '/key', ...poor(conversation) })).json();
      const spendable = baseUnitsOf((card as { spendable_usdc: string }).spendable_usdc);
      ensure(spendable < (chat.prices?.output ?? 0n), '--poor-key has money');
      mustRefuse(await conversation.ask({ max_tokens: 100 }, poor(conversation)), {
        code: 'insufficient_quota',
      });
    },
  },
  {
    section: '7',
    promise: 'no_capacity: a model that nobody serves, with Retry-After; another never stands in',
    only: 'testnet',
    run: async (conversation) => {
      const exchange = await conversation.ask({ model: conversation.models.unserved[0].id });
      mustRefuse(exchange, { code: 'no_capacity' });
      mustSayWhenToRetry(exchange);
    },
  },
  {
    section: '2.2',
    promise: 'a model that no provider serves: its fallback answers and says so, or no_capacity',
    only: 'production',
    charges: { requests: 3, by: 'fallback' },
    run: async (conversation) => {
      for (const { id, fallbackPrices } of conversation.models.unserved.slice(0, 3)) {
        const exchange = await conversation.ask({ model: id });
        if (exchange.status === 200 || fallbackPrices) {
          mustBeFallback(exchange, id, conversation.environment);
        } else {
          mustRefuse(exchange, { code: 'no_capacity' });
          mustSayWhenToRetry(exchange);
        }
      }
    },
  },
  {
    section: '7',
    promise: 'provider_output_invalid: 502 with Retry-After, and nothing charged',
    alone: true,
    run: async (conversation) => {
      const model = conversation.prop('invalidOutputModel', '--invalid-output-model');
      const before = await spentBy(conversation);
      for (const stream of [false, true]) {
        const exchange = await conversation.ask({ model, stream });
        mustRefuse(exchange, { code: 'provider_output_invalid' });
        mustSayWhenToRetry(exchange);
      }
      ensure((await spentBy(conversation)) === before, 'invalid output was charged');
    },
  },
  {
    section: '1',
    promise: 'a named model is never substituted: the reply’s model is the one asked for',
    charges: { requests: 1 },
    run: async (conversation) => {
      must((await conversation.plain()).json(), object({ model: equal(conversation.models.chat.id) }));
    },
  },
];

/** The managed vendor's reply says that it is one (spec 2.2). @throws Deviation */
function mustBeFallback(exchange: Exchange, model: string, environment: EnvironmentTerms): void {
  ensure(exchange.status === 200, `${model} has a fallback: expected 200, got ${exchange.status}`);
  const body = exchange.json();
  must(body, object({ svc: serviceReply(environment) }));
  must(body, object({ svc: object({ fallback: equal(true) }) }));
  const { fallback_mapping: mapping } = (body as { svc: { fallback_mapping?: string } }).svc;
  must(body, object({ model: equal(model), system_fingerprint: equal(`fallback:${mapping}`) }));
}

/** Replies of every kind, of which each has a request id. */
const REPLIES: readonly [string, (conversation: Conversation) => Promise<unknown>][] = [
  ['400', (it) => it.ask({ messages: [] })],
  ['401', (it) => it.ask({}, { authorization: null })],
  ['404 of a path', (it) => it.send({ path: '/nothing' })],
  ['404 of a model', (it) => it.ask({ model: NONE })],
  ['405', (it) => it.send({ method: 'DELETE', path: '/models' })],
  ['a URL that is not percent-encoded as it should be', (it) => it.send({ path: '/models/%E0%A4%A' })],
];

const headers: ConformanceCase[] = [
  ...REPLIES.map(([what, ask]): ConformanceCase => ({
    section: '2.4',
    promise: `the error body, x-svc-request-id and x-should-retry: false on ${what}`,
    run: async (conversation) => {
      await ask(conversation);
      const [exchange] = conversation.exchanges;
      if (!exchange) return;
      ensure(exchange.status >= 400 && exchange.status < 500, `expected a 4xx, got ${exchange.status}`);
      mustHaveRefusalHeaders(exchange);
      must(exchange.json(), object({ error: object({}) }));
    },
  })),
  {
    section: '2.2',
    promise: 'x-svc-request-id is on a completion, the list of models and the key’s card',
    charges: { requests: 1 },
    run: async (conversation) => {
      const replies = [
        await conversation.plain(),
        conversation.modelList,
        await conversation.send({ path: '/key' }),
      ];
      for (const reply of replies) must(reply.header('x-svc-request-id'), requestId, 'x-svc-request-id');
    },
  },
];

export const refusals: readonly ConformanceCase[] = [...order, ...codes, ...headers];
