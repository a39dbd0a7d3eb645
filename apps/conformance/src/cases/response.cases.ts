import type { Exchange } from '../exchange/exchange';
import { contentOf, finishReasonOf, usageOf } from '../shape/reply-parts';
import { amount, choice, modelId, requestId, serviceReply, usage } from '../shape/reply-shapes';
import { absent, ensure, equal, integer, listOf, must, object, text, textLike } from '../shape/rules';
import type { Rule } from '../shape/rules';
import type { ConformanceCase } from '../suite/conformance-case';
import { SHORT_TOKENS } from '../suite/conversation';

/** A field of a plain reply and what it is. */
const FIELDS: readonly [string, string, Rule][] = [
  ['id is a string', 'id', text],
  ['object is chat.completion', 'object', equal('chat.completion')],
  ['created is in seconds', 'created', integer(1_500_000_000)],
  ['model is a model id', 'model', modelId],
  ['choices holds one choice: index, finish_reason, message', 'choices', listOf(choice, 1)],
  ['usage has its three counts', 'usage', usage],
  ['svc.cost_usdc is an amount with six decimals', 'svc', object({ cost_usdc: amount })],
];

const fields: ConformanceCase[] = FIELDS.map(([promise, field, rule]) => ({
  section: '2.2',
  promise,
  charges: { requests: 1 },
  run: async (conversation) => must((await conversation.plain()).json(), object({ [field]: rule })),
}));

const FINGERPRINT = /^[^\s:]+:[^\s:]+$/;

const others: ConformanceCase[] = [
  {
    section: '2.2',
    promise: 'the content type is application/json',
    run: async (conversation) => {
      const type = (await conversation.plain()).header('content-type');
      must(type, textLike(/^application\/json\b/, 'application/json'), 'content-type');
    },
  },
  {
    section: '2.2',
    promise: 'created is about now',
    run: async (conversation) => {
      const { created } = (await conversation.plain()).json() as { created: number };
      const apart = Math.abs(Date.now() / 1_000 - created);
      ensure(apart < 600, `created: ${Math.round(apart)} s apart from this machine's clock`);
    },
  },
  {
    section: '2.2',
    promise: 'total_tokens is the sum of the other two, and no more than was allowed came out',
    run: async (conversation) => {
      const counted = usageOf((await conversation.plain()).json());
      const sum = counted.prompt_tokens + counted.completion_tokens;
      ensure(
        counted.total_tokens === sum,
        `usage.total_tokens: expected ${sum}, got ${counted.total_tokens}`,
      );
      ensure(
        counted.completion_tokens <= SHORT_TOKENS,
        `completion_tokens: ${counted.completion_tokens} of ${SHORT_TOKENS}`,
      );
    },
  },
  {
    section: '2.2',
    promise: 'a text that came to its end has finish_reason stop',
    charges: { requests: 1 },
    run: async (conversation) => {
      const messages = [{ role: 'user', content: 'Reply with "yes"' }];
      const body = (await conversation.serve({ messages })).json();
      must(finishReasonOf(body), equal('stop'), 'choices[0].finish_reason');
      ensure((contentOf(body) ?? '') !== '', 'choices[0].message.content: expected a text');
    },
  },
  {
    section: '2.2',
    promise: 'svc says in this environment’s words who served',
    run: async (conversation) => {
      must((await conversation.plain()).json(), object({ svc: serviceReply(conversation.environment) }));
    },
  },
  {
    section: '2.2',
    promise: 'svc.served is on replies of the routing model only',
    run: async (conversation) => {
      must((await conversation.plain()).json(), object({ svc: object({ served: absent }) }));
    },
  },
  {
    section: '2.2',
    promise: 'system_fingerprint is <bundle>:<profile>, or fallback:<mapping> of a fallback',
    run: async (conversation) => mustHaveFingerprint(await conversation.plain()),
  },
  {
    section: '2.2',
    promise: 'x-svc-request-id differs from request to request, and so does the id',
    charges: { requests: 2 },
    run: async (conversation) => {
      const replies = [
        await conversation.serve({ max_tokens: 1 }),
        await conversation.serve({ max_tokens: 1 }),
      ];
      for (const reply of replies) must(reply.header('x-svc-request-id'), requestId, 'x-svc-request-id');
      ensure(
        new Set(replies.map((reply) => reply.header('x-svc-request-id'))).size === 2,
        'x-svc-request-id: the same',
      );
      ensure(
        new Set(replies.map((reply) => (reply.json() as { id: unknown }).id)).size === 2,
        'id: the same',
      );
    },
  },
];

/** The fingerprint fits who served (spec 2.2). @throws Deviation */
function mustHaveFingerprint(exchange: Exchange): void {
  const body = exchange.json() as { svc?: { fallback?: boolean; fallback_mapping?: string } };
  const rule =
    body.svc?.fallback === true
      ? equal(`fallback:${body.svc.fallback_mapping}`)
      : textLike(FINGERPRINT, '<bundle>:<profile>');
  must(body, object({ system_fingerprint: rule }));
  if (body.svc?.fallback !== true) {
    must(body, object({ system_fingerprint: textLike(/^(?!cortex:|fallback:)/, 'a bundle of a provider') }));
  }
}

export const responses: readonly ConformanceCase[] = [...fields, ...others];
