import type { ChatCompletionRequest } from '@svc/openai-api';
import type { EnvironmentName } from '../target/environment-terms';
import type { HonestModel } from './honest-models.for-spec';

/** What was generated for a request. */
interface Generated {
  pieces: string[];
  call: { id: string; type: string; function: { name: string; arguments: string } } | undefined;
  finishReason: string;
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
}

/** A request's reply before it is written down. */
interface Reply {
  id: string;
  model: HonestModel;
  generated: Generated;
  /** USDC, six decimals. */
  cost: string;
  environment: EnvironmentName;
}

const PROMPT_TOKENS = 12;
const PROVIDER = `0x${'ab'.repeat(20)}`;
const CREATED = () => Math.floor(Date.now() / 1_000);

export function generate(request: ChatCompletionRequest, limit: number): Generated {
  const call = callFor(request);
  const text = call ? '' : textFor(request);
  const all = text.match(/\s*[^\s]+/g) ?? [];
  const pieces = all.slice(0, limit);
  const tokens = call ? 5 : pieces.length;
  return {
    pieces,
    call,
    finishReason: call ? 'tool_calls' : pieces.length < all.length ? 'length' : 'stop',
    usage: {
      prompt_tokens: PROMPT_TOKENS,
      completion_tokens: tokens,
      total_tokens: PROMPT_TOKENS + tokens,
    },
  };
}

function callFor({
  tools,
  tool_choice: choice = 'auto',
  messages,
}: ChatCompletionRequest): Generated['call'] {
  if (!tools || choice === 'none' || messages.at(-1)?.role === 'tool') return undefined;
  const name = typeof choice === 'object' ? choice.function?.name : tools[0]?.function?.name;
  return { id: 'call_1', type: 'function', function: { name: name ?? '', arguments: '{"city":"Oslo"}' } };
}

function textFor({ messages, response_format: format, stop = [] }: ChatCompletionRequest): string {
  if (format && format.type !== 'text') return '{"name": "Ada", "age": 36}';
  const content = messages.at(-1)?.content;
  const asked = typeof content === 'string' ? content : 'parts';
  const text = /^Count/.test(asked)
    ? Array.from({ length: 200 }, (_, index) => index + 1).join(' ')
    : `You wrote: ${asked}`;
  const ends = [stop].flat().map((each) => text.indexOf(each));
  return text.slice(0, Math.min(...ends.filter((end) => end !== -1), text.length));
}

function identityOf({ id, model }: Reply, object: string): object {
  const behind = model.candidates?.[0];
  return {
    ...{ id: `chatcmpl-${id}`, object, created: CREATED(), model: model.id },
    system_fingerprint: behind
      ? `cortex:${behind}`
      : model.served === 'none'
        ? 'fallback:vendor'
        : 'bundle:profile',
  };
}

function svcOf({ cost, model, environment }: Reply): object {
  const behind = model.candidates?.[0];
  const byFallback = model.served === 'none';
  return {
    cost_usdc: cost,
    provider: byFallback ? 'fallback' : PROVIDER,
    ...(environment === 'production' && { fallback: byFallback }),
    ...(byFallback && { fallback_mapping: 'vendor' }),
    ...(behind && {
      served: { model: behind, bundleId: 'bundle', provider: PROVIDER, managed: false, reason: 'available' },
    }),
  };
}

export function plainBody(reply: Reply): object {
  const { pieces, call, finishReason, usage } = reply.generated;
  const message = {
    role: 'assistant',
    content: call ? null : pieces.join(''),
    ...(call && { tool_calls: [call] }),
  };
  return {
    ...identityOf(reply, 'chat.completion'),
    choices: [{ index: 0, message, finish_reason: finishReason }],
    usage,
    svc: svcOf(reply),
  };
}

export function streamBody(reply: Reply, includeUsage: boolean): string {
  const { pieces, call, finishReason, usage } = reply.generated;
  const identity = identityOf(reply, 'chat.completion.chunk');
  const deltas = call ? [{ tool_calls: [{ index: 0, ...call }] }] : pieces.map((content) => ({ content }));
  const unsaid = includeUsage ? { usage: null } : {};
  const chunks: object[] = deltas.map((delta, at) => ({
    ...{
      ...identity,
      choices: [{ index: 0, delta: at === 0 ? { role: 'assistant', ...delta } : delta, finish_reason: null }],
    },
    ...unsaid,
  }));
  const finish = { ...identity, choices: [{ index: 0, delta: {}, finish_reason: finishReason }] };
  chunks.push({ ...finish, ...(reply.environment === 'production' ? { usage } : unsaid) });
  chunks.push({ ...identity, choices: [], ...(includeUsage && { usage }), svc: svcOf(reply) });
  return [...chunks.map((each) => JSON.stringify(each)), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('');
}
