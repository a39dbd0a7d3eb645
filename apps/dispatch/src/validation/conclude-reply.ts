import { FINISH_REASONS } from '@svc/contracts';
import type { FinishReason, ReasoningField } from '@svc/contracts';
import { isJsonObject } from '@svc/validation';
import { checkToolCalls, isLastCallBroken, unwantedCallBytes } from './check-tool-calls';
import { InvalidReplyError } from './invalid-reply.error';
import { parseJson } from './provider-reply';
import type { RawToolCall } from './raw-tool-call';
import type { ReplyRules } from './reply-rules';
import { silentTokens } from './reply-size';
import type { ReplySchemas } from './schema-checks.service';
import { unseenCallBytes } from './unseen-calls';
import { seenBytes } from './whole-reply';
import type { ClaimedUsage, ReplyLack, WholeReply } from './whole-reply';

/** An object or a list, or what comes before one: what a stop sequence of the client's leaves of it. */
const BEGUN_JSON = /^\s*(?:[{[]|$)/;

/**
 * What servers call the four beside the spec's words: Z.ai where it filtered, Mistral and Z.ai at the end of the context, TGI at a stop
 * sequence of the client's (and, until version 2.2, at every end), Together at the end of Llama's replies, gateways to Claude, and mlx-lm's
 * server (0.30) at calls.
 */
const OTHER_WORDS: ReadonlyMap<string, FinishReason> = new Map([
  ['sensitive', 'content_filter'],
  ['model_length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['stop_sequence', 'stop'],
  ['eos_token', 'stop'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['tool_call', 'tool_calls'],
]);

/** A reply's parts, of which only the types are known. */
interface ReplyParts {
  finishReason: unknown;
  content: string | undefined;
  refusal: string | undefined;
  reasoning: string | undefined;
  reasoningField: ReasoningField | undefined;
  calls: RawToolCall[];
  usage: ClaimedUsage | undefined;
  outputBytes: number;
  /** Of the texts: what nobody sees. */
  unseenBytes: number;
  /** There is something to be seen in one of the texts. */
  hasWords: boolean;
  /** What the server was asked to keep to. */
  maxTokens: number;
}

/**
 * Judges a reply that has come to its end: the same rules whether it came whole or in chunks.
 * @throws InvalidReplyError when it must not be delivered
 * @throws CrowdedOutError when nobody found the time to say
 */
export async function concludeReply(
  parts: ReplyParts,
  rules: ReplyRules,
  schemas: ReplySchemas,
): Promise<WholeReply> {
  const said = finishReasonOf(parts.finishReason);
  const stated = said !== 'content_filter' && isCutUnsaid(parts, rules) ? 'length' : said;
  const unseenBytes = parts.unseenBytes + unseenCallBytes(parts.calls, rules);
  const isEarly = stated === 'length' && isFarFromLimit({ ...parts, unseenBytes }, rules);
  const cut = (stated === 'length' && !isEarly) || stated === 'content_filter';
  // Who says that it was cut has broken a call off, for whatever reason; it does not write what is none.
  const callRules = isEarly ? { ...rules, mayStray: true } : rules;
  const toolCalls = await checkToolCalls(parts.calls, callRules, schemas, cut);
  const finishReason = toolCalls.length > 0 && stated === 'stop' ? 'tool_calls' : stated;
  if (finishReason === 'tool_calls' && toolCalls.length === 0) throw new InvalidReplyError('tool_call');
  if (!cut && toolCalls.length === 0) {
    const { content = '', refusal } = parts;
    // A refusal stands in an answer's place; it makes none good that is there all the same.
    const isAnswer = refusal === undefined || content.trim() !== '';
    if (rules.mustCall && isAnswer) throw new InvalidReplyError('tool_choice');
    if (isAnswer && !(await isOfFormat(content, rules, schemas))) {
      throw new InvalidReplyError('structured_output');
    }
  }
  return {
    finishReason,
    content: contentOf(parts, toolCalls.length > 0),
    refusal: parts.refusal,
    reasoning: parts.reasoning,
    reasoningField: toolCalls.some(({ extraContent }) => extraContent)
      ? 'extra_content'
      : parts.reasoningField,
    toolCalls,
    usage: parts.usage,
    outputBytes: parts.outputBytes,
    unwantedBytes: unwantedCallBytes(parts.calls, rules),
    unseenBytes,
    lack: stated === 'content_filter' ? lackOfFiltered(parts, rules) : lackOf(parts, rules, cut),
  };
}

/** A stop sequence of the client's may be what a model begins with, and a limit may leave it no room. */
function lackOf(
  { hasWords, calls }: ReplyParts,
  { mayStop }: ReplyRules,
  cut: boolean,
): ReplyLack | undefined {
  return hasWords || calls.length > 0 || mayStop || cut ? undefined : 'wordless';
}

/** A filter cuts anywhere, so no rule can hold it against a reply that a call or JSON is not whole: anybody could break one off so. */
function lackOfFiltered({ hasWords, calls, refusal }: ReplyParts, rules: ReplyRules): ReplyLack | undefined {
  const isLess = !hasWords || calls.length > 0 || rules.holdContent;
  return isLess && refusal === undefined ? 'filtered' : undefined;
}

/**
 * vLLM's servers say `tool_calls` wherever a call has begun, also where `max_tokens` cut it off: what a client's limit breaks is nobody's
 * fault.
 */
function isCutUnsaid({ calls, usage, maxTokens }: ReplyParts, rules: ReplyRules): boolean {
  return usage !== undefined && usage.completionTokens >= maxTokens && isLastCallBroken(calls, rules);
}

/**
 * Whether so little was written that no limit can have cut it: what is broken then is the server's fault, and would be paid as if it were
 * the client's. No token is shorter than a byte. Half of the limit is far: servers count otherwise.
 */
function isFarFromLimit(parts: ReplyParts, { limitTokens }: ReplyRules): boolean {
  if (limitTokens === undefined || parts.reasoningField !== undefined) return false;
  const mostTokens = seenBytes(parts) + silentTokens(parts.calls.length);
  return Math.min(mostTokens, parts.usage?.completionTokens ?? Infinity) < limitTokens / 2;
}

/**
 * One of the spec's four. Gemini's servers say beside it what was filtered.
 * @throws InvalidReplyError `finish_reason` for what is none: some servers so say that they broke off
 */
export function finishReasonOf(value: unknown): FinishReason {
  if (value === undefined || value === null || value === '') throw new InvalidReplyError('no_finish_reason');
  if (typeof value !== 'string') throw new InvalidReplyError('shape');
  const reason = FINISH_REASONS.find((known) => known === value) ?? OTHER_WORDS.get(value);
  if (reason) return reason;
  if (value.startsWith('content_filter: ')) return 'content_filter';
  throw new InvalidReplyError('finish_reason');
}

/** Null when the reply is tool calls only (spec section 2.2), or a refusal; text, if empty, otherwise. */
function contentOf({ content, refusal }: ReplyParts, hasCalls: boolean): string | null {
  if (content !== undefined && content !== '') return content;
  return hasCalls || refusal !== undefined ? null : '';
}

async function isOfFormat(content: string, rules: ReplyRules, schemas: ReplySchemas): Promise<boolean> {
  if (rules.format === 'text') return true;
  const value = parseJson(content);
  if (value === undefined) return rules.mayStop && BEGUN_JSON.test(content);
  if (rules.format === 'json_object') return isJsonObject(value);
  return rules.schema === undefined || (await schemas.matches(rules.schema, value));
}
