import type { EnvironmentName } from '../target/environment-terms';
import type { Draft } from './honest-desk.for-spec';
import type { HonestDesk } from './honest-desk.for-spec';
import type { Deviate } from './honest-market.for-spec';

/** One way to break the interface, and the case that must see it. */
interface Deviation {
  what: string;
  only?: EnvironmentName;
  deviate?: Deviate;
  habit?: keyof HonestDesk['habits'];
  /** Section and promise. */
  seenBy: string;
}

const isStream = ({ headers }: Draft) => headers['content-type']?.startsWith('text/event-stream') ?? false;
const isServed = (draft: Draft, path: string) => draft.status === 200 && path === '/chat/completions';

/** Changes the body of plain replies. */
const plain =
  (change: (body: Reply) => void): Deviate =>
  (draft, { path }) => {
    if (!isServed(draft, path) || isStream(draft)) return undefined;
    const body = JSON.parse(draft.body) as Reply;
    change(body);
    return { ...draft, body: JSON.stringify(body) };
  };

/** Changes the text of streams. */
const stream =
  (change: (text: string) => string): Deviate =>
  (draft) =>
    isStream(draft) ? { ...draft, body: change(draft.body) } : undefined;

/** Changes each chunk of a stream; `at` counts from its end, the charge being 0. */
const chunks = (change: (chunk: Chunk, at: number) => void): Deviate =>
  stream((text) => {
    const events = text.split('\n\n').filter((event) => event.startsWith('data: {'));
    const written = events.map((event, index) => {
      const chunk = JSON.parse(event.slice('data: '.length)) as Chunk;
      change(chunk, events.length - 1 - index);
      return JSON.stringify(chunk);
    });
    return [...written, '[DONE]'].map((data) => `data: ${data}\n\n`).join('');
  });

/** Changes errors of one code. */
const error =
  (code: string, change: (error: Record<string, unknown>, draft: Draft) => void): Deviate =>
  (draft) => {
    if (draft.status < 400) return undefined;
    const body = JSON.parse(draft.body) as { error: Record<string, unknown> };
    if (body.error.code !== code) return undefined;
    const changed = { ...draft, headers: { ...draft.headers } };
    change(body.error, changed);
    return { ...changed, body: JSON.stringify(body) };
  };

/** Refuses what is served otherwise, where `isOdd` says so of the request's body. */
const refuses =
  (isOdd: (body: { messages?: object[] }) => boolean): Deviate =>
  (draft, { path, body }) => {
    if (!isServed(draft, path) || !isOdd(body as { messages?: object[] })) return undefined;
    const refusal = { message: 'No.', type: 'invalid_request_error', code: 'invalid_request', param: null };
    return { ...draft, status: 400, body: JSON.stringify({ error: refusal }) };
  };

/** Changes every card. */
const card =
  (change: (svc: Record<string, unknown>, id: string) => void): Deviate =>
  (draft, { path }) => {
    if (draft.status !== 200 || path !== '/models') return undefined;
    const list = JSON.parse(draft.body) as { data: { id: string; svc: Record<string, unknown> }[] };
    for (const { id, svc } of list.data) change(svc, id);
    return { ...draft, body: JSON.stringify(list) };
  };

/** Changes what the key's card says of its money. */
const account =
  (change: (card: Record<string, unknown>) => void): Deviate =>
  (draft, { path }) => {
    if (draft.status !== 200 || path !== '/key') return undefined;
    const body = JSON.parse(draft.body) as Record<string, unknown>;
    change(body);
    return { ...draft, body: JSON.stringify(body) };
  };

const headers =
  (applies: (draft: Draft) => boolean, change: (headers: Record<string, string>) => void): Deviate =>
  (draft) => {
    if (!applies(draft)) return undefined;
    const changed = { ...draft.headers };
    change(changed);
    return { ...draft, headers: changed };
  };

interface Reply {
  [field: string]: unknown;
  usage: Record<string, number>;
  svc: Record<string, unknown> & { served?: Record<string, unknown> };
  choices: { finish_reason: string; message: { content: string | null; tool_calls?: Call[] } }[];
}
interface Call {
  id?: string;
  index?: number;
  function: { name: string; arguments: string };
}
interface Chunk {
  [field: string]: unknown;
  choices: {
    delta: { role?: string; content?: string; tool_calls?: Call[] };
    finish_reason: string | null;
  }[];
}

const messageOf = (reply: Reply) => reply.choices[0]?.message;
const cost = 'cost_usdc of a plain reply is what its tokens cost at the offer’s price, rounded up once';

const REPLIES: Deviation[] = [
  {
    what: 'an id that is a number',
    deviate: plain((body) => (body.id = 7)),
    seenBy: '2.2 id is a string',
  },
  {
    what: 'another object',
    deviate: plain((body) => (body.object = 'text_completion')),
    seenBy: '2.2 object is chat.completion',
  },
  {
    what: 'created in milliseconds',
    deviate: plain((body) => (body.created = Date.now())),
    seenBy: '2.2 created is about now',
  },
  {
    what: 'a finish_reason that there is not',
    deviate: plain(({ choices }) => choices.forEach((each) => (each.finish_reason = 'end_turn'))),
    seenBy: '2.2 choices holds one choice: index, finish_reason, message',
  },
  {
    what: 'content that is missing',
    deviate: plain((body) => delete (messageOf(body) as { content?: unknown }).content),
    seenBy: '2.2 choices holds one choice: index, finish_reason, message',
  },
  {
    what: 'usage in strings',
    deviate: plain(({ usage }) => Object.assign(usage, { prompt_tokens: '12' })),
    seenBy: '2.2 usage has its three counts',
  },
  {
    what: 'a total that is no sum',
    deviate: plain(({ usage }) => Object.assign(usage, { total_tokens: 1_000 })),
    seenBy: '2.2 total_tokens is the sum of the other two, and no more than was allowed came out',
  },
  {
    what: 'a cost with four decimals',
    deviate: plain(({ svc }) => (svc.cost_usdc = '0.0001')),
    seenBy: '2.2 svc.cost_usdc is an amount with six decimals',
  },
  {
    what: 'a cost as a number',
    deviate: plain(({ svc }) => (svc.cost_usdc = 0.0001)),
    seenBy: '2.2 svc.cost_usdc is an amount with six decimals',
  },
  {
    what: 'a cost that was rounded twice',
    deviate: plain(({ svc }) => (svc.cost_usdc = incremented(svc.cost_usdc))),
    seenBy: `2.2 ${cost}`,
  },
  {
    what: 'a cost beyond what was held',
    deviate: plain(({ svc }) => (svc.cost_usdc = '9.000000')),
    seenBy: '1 cost_usdc of a plain reply is no more than x-svc-hold-usdc, which the request’s limit bounds',
  },
  {
    what: 'a provider without an address',
    deviate: plain(({ svc }) => (svc.provider = 'somebody')),
    seenBy: '2.2 svc says in this environment’s words who served',
  },
  {
    what: 'fallback on the test network',
    only: 'testnet',
    deviate: plain(({ svc }) => (svc.fallback = false)),
    seenBy: '2.2 svc says in this environment’s words who served',
  },
  {
    what: 'no word of a fallback in production',
    only: 'production',
    deviate: plain(({ svc }) => delete svc.fallback),
    seenBy: '2.2 svc says in this environment’s words who served',
  },
  {
    what: 'a mapping without a fallback',
    only: 'production',
    deviate: plain(({ svc }) => (svc.fallback_mapping ??= 'vendor')),
    seenBy: '2.2 svc says in this environment’s words who served',
  },
  {
    what: 'a fallback that is not told',
    only: 'production',
    deviate: plain(({ svc }) => (svc.fallback = false)),
    seenBy: '2.2 a model that no provider serves: its fallback answers and says so, or no_capacity',
  },
  {
    what: 'a fingerprint without a profile',
    deviate: plain((body) => (body.system_fingerprint = 'bundle')),
    seenBy: '2.2 system_fingerprint is <bundle>:<profile>, or fallback:<mapping> of a fallback',
  },
  {
    what: 'another model in the place of the one that was named',
    deviate: plain((body) => (body.model = 'svc/text@1')),
    seenBy: '1 a named model is never substituted: the reply’s model is the one asked for',
  },
  {
    what: 'a call with arguments that do not parse',
    deviate: plain((body) => messageOf(body)?.tool_calls?.forEach((call) => (call.function.arguments = '{'))),
    seenBy: '2.2 tool_choice required: calls, each with id, name and arguments that are an object',
  },
  {
    what: 'a call without an id',
    deviate: plain((body) => messageOf(body)?.tool_calls?.forEach((call) => delete call.id)),
    seenBy: '2.2 tool_choice required: calls, each with id, name and arguments that are an object',
  },
  {
    what: 'a call of a tool that nobody offered',
    deviate: plain((body) => messageOf(body)?.tool_calls?.forEach((call) => (call.function.name = 'rm'))),
    seenBy: '2.2 tool_choice required: calls, each with id, name and arguments that are an object',
  },
  {
    what: 'a reply of calls without content, which is not null',
    deviate: plain((body) => {
      const message = messageOf(body);
      if (message?.tool_calls) delete (message as { content?: unknown }).content;
    }),
    seenBy: '2.2 a reply of calls only has content null and finish_reason tool_calls',
  },
  {
    what: 'a reply of calls whose content is empty, which is not null',
    deviate: plain((body) => {
      const message = messageOf(body);
      if (message?.tool_calls) message.content = '';
    }),
    seenBy: '2.2 a reply of calls only has content null and finish_reason tool_calls',
  },
  {
    what: 'a reply of calls that ends with stop',
    deviate: plain(({ choices }) => choices.forEach((each) => (each.finish_reason = 'stop'))),
    seenBy: '2.2 a reply of calls only has content null and finish_reason tool_calls',
  },
  {
    what: 'JSON with words around it',
    deviate: plain((body) => {
      const message = messageOf(body);
      if (message?.content?.startsWith('{')) message.content = `Here: ${message.content}`;
    }),
    seenBy: '2.1 response_format json_schema: the content is a document of that schema',
  },
];

const STREAMS: Deviation[] = [
  {
    what: 'a stream without [DONE]',
    deviate: stream((text) => text.replace('data: [DONE]\n\n', '')),
    seenBy: '4.1 a stream ends with data: [DONE], once, and nothing after it',
  },
  {
    what: 'a chunk after [DONE]',
    deviate: stream((text) => `${text}data: {"choices":[]}\n\n`),
    seenBy: '4.1 a stream ends with data: [DONE], once, and nothing after it',
  },
  {
    what: 'events with names',
    deviate: stream((text) => text.replaceAll('data: {', 'event: chunk\ndata: {')),
    seenBy: '4.1 a stream is text/event-stream, in lines of data: <chunk>',
  },
  {
    what: 'a stream that says it is JSON',
    deviate: headers(isStream, (all) => (all['content-type'] = 'application/json')),
    seenBy: '4.1 a stream is text/event-stream, in lines of data: <chunk>',
  },
  {
    what: 'chunks of another object',
    deviate: chunks((chunk) => (chunk.object = 'chat.completion')),
    seenBy: '4.1 every chunk has the shape of a chunk',
  },
  {
    what: 'an id that changes on the way',
    deviate: chunks((chunk, at) => (chunk.id = `chatcmpl-${at}`)),
    seenBy: '4.1 id, created, model and fingerprint are the same on every chunk',
  },
  {
    what: 'no role',
    deviate: chunks(({ choices }) => choices.forEach((each) => delete each.delta.role)),
    seenBy: '4.1 the first chunk says the role, and text comes in deltas',
  },
  {
    what: 'a finish_reason on every chunk',
    deviate: chunks(({ choices }) => choices.forEach((each) => (each.finish_reason = 'stop'))),
    seenBy: '4.1 finish_reason is null until the last content chunk, which has one',
  },
  {
    what: 'a stream that never finishes',
    deviate: chunks(({ choices }) => choices.forEach((each) => (each.finish_reason = null))),
    seenBy: '4.1 finish_reason is null until the last content chunk, which has one',
  },
  {
    what: 'the charge on a content chunk',
    deviate: chunks((chunk, at) => {
      if (at === 1) chunk.svc = { cost_usdc: '0.000001' };
    }),
    seenBy: '4.1 the charge comes last, on the only chunk with empty choices',
  },
  {
    what: 'no charge',
    deviate: chunks((chunk) => delete chunk.svc),
    seenBy: '4.1 the charge comes last, on the only chunk with empty choices',
  },
  {
    what: 'usage that was not asked for',
    only: 'testnet',
    deviate: chunks((chunk, at) => {
      if (at === 0) chunk.usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    }),
    seenBy: '4.1 no chunk has usage unless it was asked for',
  },
  {
    what: 'usage on the chunk with the charge instead of the last content chunk',
    only: 'production',
    deviate: chunks((chunk, at) => {
      if (at === 1) delete chunk.usage;
    }),
    seenBy: '4.1 the last content chunk carries usage, no other does',
  },
  {
    what: 'usage that was asked for and does not come',
    deviate: chunks((chunk) => delete chunk.usage),
    seenBy: '4.1 with include_usage, usage stands on the last chunk and is null before',
  },
  {
    what: 'a streamed call in two deltas',
    deviate: chunks(({ choices }) =>
      choices.forEach(({ delta }) =>
        delta.tool_calls?.forEach((call) => (call.function.arguments = '{"city":')),
      ),
    ),
    seenBy: '4.1 a streamed call comes whole, in one delta with its index',
  },
  {
    what: 'a streamed call without an index',
    deviate: chunks(({ choices }) =>
      choices.forEach(({ delta }) => delta.tool_calls?.forEach((call) => delete call.index)),
    ),
    seenBy: '4.1 a streamed call comes whole, in one delta with its index',
  },
];

const ERRORS: Deviation[] = [
  {
    what: 'an error in another shape',
    deviate: (draft) => (draft.status < 400 ? undefined : { ...draft, body: '{"message":"no"}' }),
    seenBy: '2.4 the error body, x-svc-request-id and x-should-retry: false on 400',
  },
  {
    what: 'an error in HTML',
    deviate: (draft) => (draft.status < 400 ? undefined : { ...draft, body: '<html></html>' }),
    seenBy: '7 model_not_found: a model that there is not, whatever its id looks like',
  },
  {
    what: 'fields that are refused because nobody knows them',
    deviate: refuses((body) => 'prompt_cache_key' in body),
    seenBy: '2.1 served: what newer clients put into a request beside the interface',
  },
  {
    what: 'messages that are refused for a field that says nothing',
    deviate: refuses(({ messages }) => messages?.some((message) => 'refusal' in message) ?? false),
    seenBy: '2.1 served: replies as clients send them back',
  },
  {
    what: 'a param that is missing',
    deviate: error('invalid_request', (body) => (body.param = null)),
    seenBy: '2.1 refused: messages empty',
  },
  {
    what: 'another param',
    deviate: error('feature_not_supported', (body) => (body.param = 'model')),
    seenBy: '7 feature_not_supported: n above 1',
  },
  {
    what: 'a param where no field is at fault',
    deviate: error('invalid_api_key', (body) => (body.param = 'authorization')),
    seenBy: '5 invalid_api_key: a key that is missing',
  },
  {
    what: 'a param of a method that is not taken',
    deviate: error('invalid_request', (body, draft) => {
      if (draft.status === 405) body.param = 'method';
    }),
    seenBy: '4.1 GET is refused with 405 and Allow: POST',
  },
  {
    what: 'a model that there is not, without its param',
    deviate: error('model_not_found', (body) => (body.param = null)),
    seenBy: '7 order of the checks: the model before money',
  },
  {
    what: 'another type of error',
    deviate: error('insufficient_quota', (body) => (body.type = 'invalid_request_error')),
    seenBy: '7 insufficient_quota: 402 for an account without money, for a stream too',
  },
  {
    what: '429 for want of money',
    deviate: error('insufficient_quota', (_, draft) => (draft.status = 429)),
    seenBy: '7 insufficient_quota: 402 for an account without money, for a stream too',
  },
  {
    what: 'a 4xx without x-should-retry',
    deviate: headers(
      ({ status }) => status >= 400 && status < 500,
      (all) => delete all['x-should-retry'],
    ),
    seenBy: '2.4 the error body, x-svc-request-id and x-should-retry: false on 401',
  },
  {
    what: 'no capacity without Retry-After',
    only: 'testnet',
    deviate: error('no_capacity', (_, draft) => delete draft.headers['retry-after']),
    seenBy: '7 no_capacity: a model that nobody serves, with Retry-After; another never stands in',
  },
  {
    what: 'a Retry-After that is a date',
    deviate: error('provider_output_invalid', (_, draft) => {
      draft.headers['retry-after'] = 'Sat, 21 Nov 2026 12:00:00 GMT';
    }),
    seenBy: '7 provider_output_invalid: 502 with Retry-After, and nothing charged',
  },
  {
    what: 'keys that are told apart by their words',
    deviate: error('invalid_api_key', (body, draft) => (body.message = draft.headers['x-svc-request-id'])),
    seenBy: '5 keys are refused in the same words whatever is wrong with them',
  },
  {
    what: 'a 405 without Allow',
    deviate: headers(
      ({ status }) => status === 405,
      (all) => delete all.allow,
    ),
    seenBy: '4.1 GET is refused with 405 and Allow: POST',
  },
  {
    what: 'money that is asked for before features',
    habit: 'moneyFirst',
    seenBy: '7 order of the checks: features before money',
  },
  {
    what: 'money that is asked for before capacity',
    only: 'testnet',
    habit: 'moneyFirst',
    seenBy: '7 order of the checks: capacity before money',
  },
  {
    what: 'a preflight that lets nobody in',
    deviate: headers(
      ({ status }) => status === 204,
      (all) => delete all['access-control-allow-origin'],
    ),
    seenBy: '4 OPTIONS /v1/chat/completions lets pages of other origins call with a key',
  },
  {
    what: 'a HEAD that is not known',
    deviate: (draft, { method }) => (method === 'HEAD' ? { ...draft, status: 404 } : undefined),
    seenBy: '4.2 HEAD /v1/models has what GET has, but the body',
  },
  {
    what: 'a compressed body that is not told as such',
    deviate: error('invalid_request', (_, draft) => (draft.status = 400)),
    seenBy: '4.1 a compressed body is refused with 415',
  },
  {
    what: 'invalid output that is charged',
    habit: 'chargesRefusals',
    seenBy: '7 provider_output_invalid: 502 with Retry-After, and nothing charged',
  },
  {
    what: 'refusals that are charged',
    habit: 'chargesRefusals',
    seenBy: '7 what is refused is not charged',
  },
];

const OTHERS: Deviation[] = [
  {
    what: 'replies without a request id',
    deviate: headers(
      ({ status }) => status === 200,
      (all) => delete all['x-svc-request-id'],
    ),
    seenBy: '2.2 x-svc-request-id is on a completion, the list of models and the key’s card',
  },
  {
    what: 'streams without a hold',
    deviate: headers(isStream, (all) => delete all['x-svc-hold-usdc']),
    seenBy: '4.1 a stream has x-svc-request-id and x-svc-hold-usdc',
  },
  {
    what: 'replays that are charged',
    habit: 'chargesReplays',
    seenBy: '2.1 Idempotency-Key: a reply is told again byte for byte and charged once',
  },
  {
    what: 'idempotency keys that nobody keeps',
    habit: 'forgetsReplies',
    seenBy: '2.1 Idempotency-Key: a stream is told again byte for byte and charged once',
  },
  {
    what: 'streams that cost nothing when they are left',
    deviate: account((body) => (body.spent_usdc = '0.000000')),
    seenBy: '4.1 a client that hangs up in the middle of a stream pays for what came, and nothing stays held',
  },
  {
    what: 'work that is done anew for whoever hung up',
    habit: 'forgetsReplies',
    seenBy: '2.1 Idempotency-Key: a stream whose client hangs up is told whole to the next, and charged once',
  },
  {
    what: 'prices as numbers',
    deviate: card((svc, id) => {
      if (id === 'svc/text@1') svc.pricing = { input_price_per_mtok: 0.1, output_price_per_mtok: 0.4 };
    }),
    seenBy: '2.3 each card: svc.pricing, where it is there, is two prices in base units',
  },
  {
    what: 'a card without a context',
    deviate: card((svc) => delete svc.contextLimit),
    seenBy: '2.3 each card: svc.contextLimit counts tokens',
  },
  {
    what: 'a model with tools and no contract',
    only: 'testnet',
    deviate: card((svc) => delete svc.tool_contract),
    seenBy: '2.3 tool_contract is there when tools is true, and whole',
  },
  {
    what: 'a routing model with tools and no contract',
    only: 'testnet',
    deviate: card((svc) => void (svc.cortex === true && delete svc.tool_contract)),
    seenBy: '2.3 tool_contract is there when tools is true, and whole',
  },
  {
    what: 'a contract in production',
    only: 'production',
    deviate: card((svc) => (svc.tool_contract = {})),
    seenBy: '2.3 no card has tool_contract, cortex, candidates or basis',
  },
  {
    what: 'a routing model that can more than its candidates',
    only: 'testnet',
    deviate: card((svc) => {
      if (svc.cortex) svc.contextLimit = 1_000_000;
    }),
    seenBy: '2.3 the routing model’s context and capabilities are the most conservative of its candidates',
  },
  {
    what: 'a routed reply that hides its model',
    only: 'testnet',
    deviate: plain(({ svc }) => delete svc.served),
    seenBy: '2.2 a routed reply says in svc.served which candidate is behind it',
  },
  {
    what: 'a routed reply with its bundle’s fingerprint',
    only: 'testnet',
    deviate: plain((body) => {
      if (body.svc.served) body.system_fingerprint = 'bundle:profile';
    }),
    seenBy: '2.2 a routed reply has system_fingerprint cortex:<model>',
  },
  {
    what: 'a vendor that passes for a provider',
    only: 'testnet',
    deviate: plain(({ svc }) => {
      if (svc.served) svc.served.reason = 'managed:no_capacity';
    }),
    seenBy: '2.2 a routed reply by a vendor says so in provider, managed and reason',
  },
];

/** What is no deviation, though it looks like one, and what becomes of the promise that it looks like a breach of. */
interface Allowance {
  what: string;
  deviate: Deviate;
  /** Section and promise. */
  promise: string;
  outcome: 'passed' | 'skipped';
}

export const ALLOWANCES: readonly Allowance[] = [
  {
    what: 'a text beside calls',
    deviate: plain((body) => {
      const message = messageOf(body);
      if (message?.tool_calls) message.content = 'Let me look.';
    }),
    promise: '2.2 a reply of calls only has content null and finish_reason tool_calls',
    outcome: 'skipped',
  },
  {
    what: 'a key that was given another value, while this one works on',
    deviate: account((body) =>
      Object.assign(body, { last_four: 'next', previous_expires_at: '2026-12-01T00:00:00.000Z' }),
    ),
    promise: '5 GET /v1/key tells a key what it may spend, and nothing that is the key',
    outcome: 'passed',
  },
];

/** A millionth of a USDC more. */
function incremented(amount: unknown): string {
  const baseUnits = BigInt(String(amount).replace('.', '')) + 1n;
  return `0.${baseUnits.toString().padStart(6, '0')}`;
}

export const DEVIATIONS: readonly Deviation[] = [...REPLIES, ...STREAMS, ...ERRORS, ...OTHERS];
