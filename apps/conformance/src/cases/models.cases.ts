import type { Exchange } from '../exchange/exchange';
import { mustRefuse } from '../shape/refusal';
import { modelId, requestId } from '../shape/reply-shapes';
import {
  absent,
  ensure,
  equal,
  flag,
  integer,
  listOf,
  must,
  object,
  oneOf,
  optional,
  text,
  textLike,
} from '../shape/rules';
import type { Rule } from '../shape/rules';
import type { ConformanceCase } from '../suite/conformance-case';

const price = textLike(/^\d+$/, 'base units as digits');
export const pricing = object({ input_price_per_mtok: price, output_price_per_mtok: price });
export const capabilities = object({
  workload: oneOf('chat', 'embedding'),
  tools: flag,
  structuredOutputs: flag,
  reasoning: flag,
  streaming: flag,
  maxOutputTokens: integer(1),
});
const contract = object({
  tool_choice: listOf(oneOf('auto', 'none', 'required', 'function'), 1),
  parallel_tool_calls: flag,
  strict_schemas: flag,
  tool_streaming: text,
  max_argument_bytes: integer(),
  certified_concurrency: integer(),
  agentic_certified: flag,
  metering_version: integer(),
  certification_id: text,
});

interface Card {
  id: string;
  svc: { capabilities: { tools: boolean; workload: string }; tool_contract?: object; cortex?: unknown };
}

const cardsOf = (list: Exchange): Card[] => (list.json() as { data: Card[] }).data;

/** What every card has. */
const CARDS: readonly [string, Rule][] = [
  ['id is svc/<name>@<version>', object({ id: modelId })],
  ['object is model', object({ object: equal('model') })],
  ['created is in seconds, where it is there', object({ created: optional(integer(1)) })],
  ['owned_by is a text', object({ owned_by: text })],
  ['svc.contextLimit counts tokens', object({ svc: object({ contextLimit: integer(1) }) })],
  ['svc.capabilities has its six fields', object({ svc: object({ capabilities }) })],
  [
    'svc.pricing, where it is there, is two prices in base units',
    object({ svc: object({ pricing: optional(pricing) }) }),
  ],
  [
    'svc.fallback_pricing, where it is there, is what the fallback costs',
    object({ svc: object({ fallback_pricing: optional(pricing) }) }),
  ],
];

const cards: ConformanceCase[] = CARDS.map(([promise, rule]) => ({
  section: '2.3',
  promise: `each card: ${promise}`,
  run: (conversation) => {
    must(conversation.modelList.json(), object({ data: listOf(rule) }));
  },
}));

const list: ConformanceCase[] = [
  {
    section: '4.2',
    promise: 'GET /v1/models needs no key and lists',
    run: (conversation) => {
      const exchange = conversation.modelList;
      ensure(exchange.status === 200, `expected 200, got ${exchange.status}`);
      must(exchange.json(), object({ object: equal('list'), data: listOf(object({}), 1) }));
      must(
        exchange.header('content-type'),
        textLike(/^application\/json\b/, 'application/json'),
        'content-type',
      );
      must(exchange.header('x-svc-request-id'), requestId, 'x-svc-request-id');
    },
  },
  {
    section: '2.3',
    promise: 'no id stands twice on the list',
    run: (conversation) => {
      const ids = cardsOf(conversation.modelList).map(({ id }) => id);
      const twice = ids.find((id, at) => ids.indexOf(id) !== at);
      ensure(twice === undefined, `${twice} stands on it twice`);
    },
  },
  {
    section: '2.3',
    promise: 'tool_contract is there when tools is true, and whole',
    only: 'testnet',
    run: (conversation) => {
      for (const { id, svc } of cardsOf(conversation.modelList)) {
        const rule = svc.capabilities.tools ? contract : absent;
        must(svc.tool_contract, rule, `${id}: svc.tool_contract`);
      }
    },
  },
  {
    section: '2.3',
    promise: 'no card has tool_contract, cortex, candidates or basis',
    only: 'production',
    run: (conversation) => {
      const none = object({ tool_contract: absent, cortex: absent, candidates: absent, basis: absent });
      must(conversation.modelList.json(), object({ data: listOf(object({ svc: none })) }));
    },
  },
  {
    section: '4.2',
    promise: 'HEAD /v1/models has what GET has, but the body',
    run: async (conversation) => {
      const exchange = await conversation.send({ method: 'HEAD', path: '/models', authorization: null });
      ensure(exchange.status === 200, `expected 200, got ${exchange.status}`);
      must(
        exchange.header('content-type'),
        equal(conversation.modelList.header('content-type') ?? ''),
        'content-type',
      );
      ensure(exchange.bytes.length === 0, 'a body');
    },
  },
  {
    section: '4.2',
    promise: 'PUT /v1/models is refused with 405',
    run: async (conversation) => {
      const exchange = await conversation.send({ method: 'PUT', path: '/models' });
      mustRefuse(exchange, { code: 'invalid_request', status: 405 });
    },
  },
];

/** One model by its id, however the id is written. */
const one: ConformanceCase[] = [
  ...(
    [
      ['raw', (id: string) => id],
      ['percent-encoded', encodeURIComponent],
    ] as const
  ).map(([how, write]): ConformanceCase => ({
    section: '4.2',
    promise: `GET /v1/models/{id}, ${how}, is the card of the list, for each`,
    run: async (conversation) => {
      for (const card of cardsOf(conversation.modelList).slice(0, 5)) {
        const exchange = await conversation.send({ path: `/models/${write(card.id)}`, authorization: null });
        ensure(exchange.status === 200, `${card.id}: expected 200, got ${exchange.status}`);
        const same = JSON.stringify(exchange.json()) === JSON.stringify(card);
        ensure(same, `${card.id}: not the card of the list`);
      }
    },
  })),
  {
    section: '4.2',
    promise: 'GET /v1/models/{id} of an unknown id is model_not_found',
    run: async (conversation) => {
      for (const id of ['svc/no-such-model@1', encodeURIComponent('svc/no-such-model@1')]) {
        const exchange = await conversation.send({ path: `/models/${id}`, authorization: null });
        mustRefuse(exchange, { code: 'model_not_found', param: 'model' });
      }
    },
  },
];

export const models: readonly ConformanceCase[] = [...list, ...cards, ...one];
