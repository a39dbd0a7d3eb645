import type { EnvironmentTerms } from '../target/environment-terms';
import {
  absent,
  anyText,
  either,
  equal,
  exactly,
  flag,
  integer,
  jsonObject,
  listOf,
  nothing,
  object,
  oneOf,
  optional,
  text,
  textLike,
} from './rules';
import type { Rule } from './rules';

const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'];
export const amount = textLike(/^\d+\.\d{6}$/, 'an amount with six decimals');
export const address = textLike(/^0x[0-9a-fA-F]{40}$/, 'an address');
export const modelId = textLike(/^svc\/[^\s/@]+@[^\s/@]+$/, 'a model id, svc/<name>@<version>');
export const requestId = textLike(/^\S+$/, 'a request id');

export const usage = object({
  prompt_tokens: integer(1),
  completion_tokens: integer(),
  total_tokens: integer(1),
});

/** Of a plain reply; a streamed one has its `index` beside it. */
export const toolCall = object({
  id: text,
  type: equal('function'),
  function: object({ name: text, arguments: jsonObject }),
});
export const streamedToolCall: Rule = (value, path) => [
  ...object({ index: integer() })(value, path),
  ...toolCall(value, path),
];

const message = object({
  role: equal('assistant'),
  content: either(anyText, nothing),
  tool_calls: optional(listOf(toolCall, 1)),
});

export const choice = object({
  index: equal(0),
  finish_reason: oneOf(...FINISH_REASONS),
  message,
});

/** The `svc` object of a reply by a named model (spec 2.2). */
export function serviceReply({ name }: EnvironmentTerms): Rule {
  if (name === 'testnet') {
    return object({ cost_usdc: amount, provider: address, fallback: absent, fallback_mapping: absent });
  }
  const byProvider = object({ fallback: equal(false), fallback_mapping: absent, provider: address });
  const byFallback = object({ fallback: equal(true), fallback_mapping: text, provider: equal('fallback') });
  return (value, path) => [
    ...object({ cost_usdc: amount, fallback: flag })(value, path),
    ...either(byProvider, byFallback)(value, path),
  ];
}

/** The `served` object (spec 2.2; test network). */
export const served = exactly({
  model: modelId,
  bundleId: text,
  provider: text,
  managed: flag,
  reason: textLike(/^(available|failover:[1-9]\d*|managed:.+)$/, 'available, failover:<n> or managed:<why>'),
});

export const errorBody = exactly({
  error: exactly({
    message: text,
    type: oneOf('invalid_request_error', 'insufficient_quota', 'server_error'),
    code: text,
    param: either(text, nothing),
  }),
});

export const chunk = object({
  id: text,
  object: equal('chat.completion.chunk'),
  created: integer(1),
  model: modelId,
  system_fingerprint: optional(text),
  choices: listOf(
    object({
      index: equal(0),
      delta: object({
        role: optional(equal('assistant')),
        content: optional(either(anyText, nothing)),
        tool_calls: optional(listOf(streamedToolCall, 1)),
      }),
      finish_reason: either(oneOf(...FINISH_REASONS), nothing),
    }),
  ),
});
