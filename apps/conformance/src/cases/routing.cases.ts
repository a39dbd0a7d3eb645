import { NotApplicable } from '../deviation';
import { readStream } from '../exchange/event-stream';
import { mustRefuse } from '../shape/refusal';
import { callsOf, serviceOf, usageOf } from '../shape/reply-parts';
import { amount, modelId, served, toolCall } from '../shape/reply-shapes';
import { ensure, equal, flag, integer, listOf, must, object, optional } from '../shape/rules';
import type { ConformanceCase } from '../suite/conformance-case';
import type { Conversation } from '../suite/conversation';
import type { Charges } from '../suite/spending';
import { baseUnitsOf, priceOf } from '../target/price';
import { capabilities, pricing } from './models.cases';
import { lastOf } from './stream-parts';
import { weather } from './tools.cases';

const ROUTED: Charges = { requests: 1, by: 'routing' };
const ROUTER = 'svc/cortex@1';

interface RoutingCard {
  contextLimit: number;
  capabilities: Record<string, unknown>;
  candidates: { model: string; contextLimit: number; capabilities: Record<string, unknown> }[];
}

function cardOf(conversation: Conversation): RoutingCard {
  const { data } = conversation.modelList.json() as { data: { id: string; svc: RoutingCard }[] };
  const card = data.find(({ id }) => id === conversation.models.routing.id);
  if (!card) throw new NotApplicable('no routing model is listed');
  return card.svc;
}

const card: ConformanceCase[] = [
  {
    section: '2.3',
    promise: 'the routing model: cortex true, basis ceiling, candidates that are listed',
    run: (conversation) => {
      const { id } = conversation.models.routing;
      must(id, modelId, 'id');
      const candidate = object({
        model: modelId,
        contextLimit: integer(1),
        capabilities,
        pricing: optional(pricing),
        available: flag,
      });
      must(
        cardOf(conversation),
        object({ cortex: equal(true), basis: equal('ceiling'), candidates: listOf(candidate, 1), pricing }),
        `${id}: svc`,
      );
      const listed = conversation.models.all.map((model) => model.id);
      const stranger = cardOf(conversation).candidates.find(({ model }) => !listed.includes(model));
      ensure(stranger === undefined, `candidate ${stranger?.model} is not on the list`);
    },
  },
  {
    section: '2.3',
    promise: 'the routing model’s context and capabilities are the most conservative of its candidates',
    run: (conversation) => {
      const { contextLimit, capabilities: own, candidates } = cardOf(conversation);
      const least = Math.min(...candidates.map((each) => each.contextLimit));
      ensure(contextLimit <= least, `contextLimit: expected at most ${least}, got ${contextLimit}`);
      const output = Math.min(...candidates.map((each) => Number(each.capabilities.maxOutputTokens)));
      ensure(Number(own.maxOutputTokens) <= output, `maxOutputTokens: expected at most ${output}`);
      for (const name of ['tools', 'structuredOutputs', 'reasoning', 'streaming']) {
        const all = candidates.every((each) => each.capabilities[name] === true);
        ensure(all || own[name] === false, `${name}: true, though not every candidate has it`);
      }
    },
  },
];

const replies: ConformanceCase[] = [
  {
    section: '2.2',
    promise: 'a routed reply says in svc.served which candidate is behind it',
    charges: ROUTED,
    run: async (conversation) => {
      const service = serviceOf((await conversation.routed()).json());
      must(service, object({ cost_usdc: amount, served }), 'svc');
      const behind = service.served?.model ?? '';
      const { candidates = [] } = conversation.models.routing;
      ensure(candidates.includes(behind), `served.model: ${behind} is no candidate`);
    },
  },
  {
    section: '2.2',
    promise: 'a routed reply by a vendor says so in provider, managed and reason',
    charges: ROUTED,
    run: async (conversation) => {
      const service = serviceOf((await conversation.routed()).json());
      const { managed, reason, provider } = service.served as {
        managed?: boolean;
        reason?: string;
        provider?: string;
      };
      const words = [
        service.provider === 'managed',
        managed === true,
        reason?.startsWith('managed:') ?? false,
      ];
      ensure(new Set(words).size === 1, 'provider, served.managed and served.reason do not agree');
      ensure(managed === true || provider === service.provider, 'served.provider is not svc.provider');
    },
  },
  {
    section: '2.2',
    promise: 'a routed reply has system_fingerprint cortex:<model>',
    charges: ROUTED,
    run: async (conversation) => {
      const body = (await conversation.routed()).json();
      must(body, object({ system_fingerprint: equal(`cortex:${serviceOf(body).served?.model}`) }));
    },
  },
  {
    section: '2.3',
    promise: 'a routed reply costs no more than the ceiling',
    charges: ROUTED,
    run: async (conversation) => {
      const { prices } = conversation.models.routing;
      const body = (await conversation.routed()).json();
      const { prompt_tokens: input, completion_tokens: output } = usageOf(body);
      const ceiling = prices ? priceOf(prices, input, output) : 0n;
      const cost = baseUnitsOf(serviceOf(body).cost_usdc ?? '');
      ensure(cost <= ceiling, `svc.cost_usdc: ${cost} base units, the ceiling is ${ceiling}`);
    },
  },
  {
    section: '4.1',
    promise: 'a routed stream says on its last chunk who served',
    charges: ROUTED,
    run: async (conversation) => {
      const model = conversation.models.routing.id;
      const exchange = await conversation.serve({ model, stream: true, max_tokens: 20 });
      const last = lastOf(exchange);
      must(last, object({ svc: object({ cost_usdc: amount, served }) }), 'the last chunk');
      const fingerprint = equal(`cortex:${serviceOf(last).served?.model}`);
      for (const each of readStream(exchange).chunks)
        must(each, object({ system_fingerprint: fingerprint }), 'a chunk');
    },
  },
  {
    section: '2.2',
    promise: 'a routed request for a tool call gets one',
    charges: ROUTED,
    run: async (conversation) => {
      const { id, tools } = conversation.models.routing;
      if (!tools) throw new NotApplicable('not every candidate has tools');
      const messages = [{ role: 'user', content: 'What is the weather in Oslo?' }];
      const fields = { model: id, messages, tools: [weather], tool_choice: 'required' };
      must(callsOf((await conversation.serve(fields)).json()), listOf(toolCall, 1), 'tool_calls');
    },
  },
];

const testnetOnly = [...card, ...replies].map((each): ConformanceCase => ({ ...each, only: 'testnet' }));

export const routing: readonly ConformanceCase[] = [
  ...testnetOnly,
  {
    section: '1',
    promise: 'there is no routing model',
    only: 'production',
    run: async (conversation) => {
      mustRefuse(await conversation.ask({ model: ROUTER }), { code: 'model_not_found', param: 'model' });
    },
  },
];
