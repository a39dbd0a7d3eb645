import type { IncomingHttpHeaders } from 'node:http';
import { isWellFormedApiKey } from '@svc/api-key';
import { parseChatCompletionRequest } from '@svc/openai-api';
import type { ChatCompletionRequest } from '@svc/openai-api';
import { usdc } from '../suite/spending';
import type { EnvironmentName } from '../target/environment-terms';
import { priceOf } from '../target/price';
import { HONEST_MODELS, PRICES, cardOf } from './honest-models.for-spec';
import type { HonestModel } from './honest-models.for-spec';
import { generate, plainBody, streamBody } from './honest-replies.for-spec';

export interface HonestKeys {
  good: string;
  poor: string;
  suspended: string;
  revoked: string;
}

/** A reply before it is sent. */
export interface Draft {
  status: number;
  headers: Record<string, string>;
  body: string;
}

interface Asked {
  method: string;
  /** Below `/v1`. */
  path: string;
  headers: IncomingHttpHeaders;
  /** Undefined when it is not UTF-8. */
  text: string | undefined;
  tooLarge: boolean;
  requestId: string;
}

/** Thrown for whatever is refused. */
class Refused extends Error {
  constructor(
    readonly code: string,
    readonly param: string | null = null,
    readonly status = STATUSES[code] ?? 400,
  ) {
    super(code === 'insufficient_quota' ? 'needs 0.000100, has 0.000000' : code);
  }
}

const STATUSES: Record<string, number> = {
  invalid_api_key: 401,
  insufficient_quota: 402,
  account_suspended: 403,
  model_not_found: 404,
  provider_output_invalid: 502,
  no_capacity: 503,
};
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const PREFLIGHT: Draft = {
  status: 204,
  headers: {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
    'access-control-allow-headers': 'authorization, content-type',
  },
  body: '',
};

/** Answers requests as the interface says. */
export class HonestDesk {
  /** How it sins against promises that no single reply shows. */
  readonly habits = {
    chargesReplays: false,
    chargesRefusals: false,
    forgetsReplies: false,
    moneyFirst: false,
  };
  private spent = 0n;
  private readonly receipts = new Map<string, object>();
  private readonly remembered = new Map<string, { request: string; draft: Draft }>();

  constructor(
    private readonly environment: EnvironmentName,
    private readonly keys: HonestKeys,
  ) {}

  answer(asked: Asked): Draft {
    const common = { 'x-svc-request-id': asked.requestId };
    try {
      const { status, headers, body } = this.serve(asked);
      return { status, headers: { ...common, ...headers }, body };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (this.habits.chargesRefusals) this.spent += 1n;
      const { message, code, param, status } = error;
      const type =
        status >= 500 ? 'server_error' : status === 402 ? 'insufficient_quota' : 'invalid_request_error';
      return {
        status,
        headers: {
          ...common,
          ...JSON_TYPE,
          ...(status === 405 && { allow: asked.path.startsWith('/chat') ? 'POST' : 'GET' }),
          ...(status < 500 ? { 'x-should-retry': 'false' } : { 'retry-after': '5' }),
        },
        body: JSON.stringify({ error: { message, type, code, param } }),
      };
    }
  }

  private get models(): readonly HonestModel[] {
    return HONEST_MODELS[this.environment];
  }

  private serve(asked: Asked): Draft {
    const { path, method } = asked;
    if (method === 'OPTIONS') return PREFLIGHT;
    if (path === '/chat/completions') {
      if (method !== 'POST') throw new Refused('invalid_request', null, 405);
      return this.complete(asked);
    }
    if (!/^\/(models|key|receipts)(\/|$)/.test(path)) throw new Refused('invalid_request', null, 404);
    if (method !== 'GET' && method !== 'HEAD') throw new Refused('invalid_request', null, 405);
    if (path.startsWith('/models')) return this.showModels(path);
    const key = this.keyIn(asked);
    return path === '/key'
      ? this.showKey(key)
      : json(this.receipts.get(path.slice('/receipts/'.length)) ?? {});
  }

  private showModels(path: string): Draft {
    const cards = this.models.map((model) => cardOf(model, this.environment));
    if (path === '/models') return json({ object: 'list', data: cards });
    let id: string;
    try {
      id = decodeURIComponent(path.slice('/models/'.length));
    } catch {
      throw new Refused('invalid_request', 'model');
    }
    return json(cards[this.models.indexOf(this.find(id))] ?? {});
  }

  private showKey(key: string): Draft {
    const spendable = key === this.keys.poor ? '0.000000' : '9.000000';
    return json({
      ...{
        id: 'key_1',
        object: 'key',
        name: 'spec',
        last_four: key.slice(-4),
        wallet: `0x${'cd'.repeat(20)}`,
      },
      ...{
        created_at: '2026-11-01T00:00:00.000Z',
        last_used_at: null,
        previous_expires_at: null,
        budget: null,
      },
      ...{ spent_usdc: usdc(this.spent), held_usdc: '0.000000', spendable_usdc: spendable },
    });
  }

  private keyIn({ headers }: Asked): string {
    const key = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    const isKnown = [this.keys.good, this.keys.poor, this.keys.suspended].includes(key);
    if (!isKnown || !isWellFormedApiKey(key, key.slice(0, 9))) throw new Refused('invalid_api_key');
    if (key === this.keys.suspended) throw new Refused('account_suspended');
    return key;
  }

  private complete(asked: Asked): Draft {
    const key = this.keyIn(asked);
    const isPoor = key === this.keys.poor;
    if (isPoor && this.habits.moneyFirst) throw new Refused('insufficient_quota');
    const request = readRequest(asked);
    const idempotencyKey = asked.headers['idempotency-key']?.toString();
    if (idempotencyKey === '' || (idempotencyKey?.length ?? 0) > 255) {
      throw new Refused('invalid_request', 'Idempotency-Key');
    }
    const known = this.remembered.get(idempotencyKey ?? '');
    const same = canonical(request);
    if (known) return this.replay(known, same);
    const draft = this.run(request, asked.requestId, isPoor);
    if (idempotencyKey !== undefined && !this.habits.forgetsReplies) {
      this.remembered.set(idempotencyKey, { request: same, draft });
    }
    return draft;
  }

  private replay({ request, draft }: { request: string; draft: Draft }, same: string): Draft {
    if (request !== same) throw new Refused('invalid_request', 'Idempotency-Key', 422);
    if (this.habits.chargesReplays) this.spent += 1n;
    return { ...draft, headers: { ...draft.headers, 'x-svc-idempotent-replay': 'true' } };
  }

  private run(request: ChatCompletionRequest, requestId: string, isPoor: boolean): Draft {
    const model = this.find(request.model);
    this.mustSupport(request, model);
    const estimate = Math.ceil(Buffer.byteLength(JSON.stringify(request.messages)) / 3) + 8;
    const limit = limitOf(request, model, estimate);
    const isForsaken = model.served === 'none' && this.environment === 'testnet';
    if (isForsaken) throw new Refused('no_capacity');
    if (isPoor) throw new Refused('insufficient_quota');
    if (model.served === 'invalid') throw new Refused('provider_output_invalid');
    const generated = generate(request, limit);
    const { prompt_tokens: input, completion_tokens: output } = generated.usage;
    const cost = priceOf(PRICES, input, output);
    this.spent += cost;
    const prices = {
      input_price_per_mtok: String(PRICES.input),
      output_price_per_mtok: String(PRICES.output),
    };
    this.receipts.set(requestId, {
      receipt: { ...prices, ...generated.usage, cost_usdc: usdc(cost) },
    });
    const reply = { id: requestId, model, generated, cost: usdc(cost), environment: this.environment };
    const isStream = request.stream === true;
    return {
      status: 200,
      headers: {
        ...(isStream ? { 'content-type': 'text/event-stream; charset=utf-8' } : JSON_TYPE),
        'x-svc-request-id': requestId,
        'x-svc-hold-usdc': usdc(priceOf(PRICES, estimate, limit)),
      },
      body: isStream
        ? streamBody(reply, request.stream_options?.include_usage ?? false)
        : JSON.stringify(plainBody(reply)),
    };
  }

  private find(id: string): HonestModel {
    const model = this.models.find((each) => each.id === id);
    if (!model) throw new Refused('model_not_found', 'model');
    return model;
  }

  private mustSupport(request: ChatCompletionRequest, model: HonestModel): void {
    const unsupported = (param: string) => new Refused('feature_not_supported', param);
    if (model.workload !== 'chat') throw unsupported('model');
    for (const name of NEVER_SUPPORTED) if (request[name]) throw unsupported(name);
    if ((request.n ?? 1) !== 1) throw unsupported('n');
    if (JSON.stringify(request.messages).includes('image_url'))
      throw unsupported('messages[0].content[0].type');
    if ((request.response_format?.type ?? 'text') !== 'text' && !model.structuredOutputs) {
      throw unsupported('response_format');
    }
    if (!request.tools) return;
    if (request.tools[0]?.type !== 'function') throw unsupported('tools[0].type');
    if (!model.tools) throw unsupported('tools');
    if (this.environment === 'testnet' && !model.candidates) mustBeCertified(request, model);
  }
}

const NEVER_SUPPORTED = [
  'functions',
  'modalities',
  'web_search_options',
  'logprobs',
  'logit_bias',
  'reasoning_effort',
] as const;

function mustBeCertified(request: ChatCompletionRequest, { choices }: HonestModel): void {
  const { tool_choice: choice = choices[0] ?? '' } = request;
  const word = typeof choice === 'object' ? 'function' : choice;
  if (!choices.includes(word)) throw new Refused('feature_not_supported', 'tool_choice');
  if (choices.includes('function')) return;
  if (request.parallel_tool_calls) throw new Refused('feature_not_supported', 'parallel_tool_calls');
  if (request.tools?.[0]?.function?.strict)
    throw new Refused('feature_not_supported', 'tools[0].function.strict');
}

function readRequest({ text, tooLarge, headers }: Asked): ChatCompletionRequest {
  if (tooLarge) throw new Refused('invalid_request', null, 413);
  if (!headers['content-type']?.startsWith('application/json') || headers['content-encoding'] !== undefined)
    throw new Refused('invalid_request', null, 415);
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch {
    throw new Refused('invalid_request');
  }
  const parsed = parseChatCompletionRequest(value);
  if (!parsed.ok) throw new Refused('invalid_request', parsed.problem.path || null);
  return parsed.value;
}

/** Of equal requests the same, however they were written. */
function canonical(request: ChatCompletionRequest): string {
  return JSON.stringify(Object.entries(request).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function limitOf(request: ChatCompletionRequest, model: HonestModel, estimate: number): number {
  const remainder = model.contextLimit - estimate;
  if (remainder < 1) throw new Refused('invalid_request', 'messages');
  const param = request.max_tokens === undefined ? 'max_completion_tokens' : 'max_tokens';
  const asked = request.max_tokens ?? request.max_completion_tokens;
  if (asked === undefined) return Math.min(model.maxOutputTokens, remainder);
  if (asked > Math.min(model.maxOutputTokens, remainder)) throw new Refused('invalid_request', param);
  return asked;
}

function json(value: object): Draft {
  return { status: 200, headers: JSON_TYPE, body: JSON.stringify(value) };
}
