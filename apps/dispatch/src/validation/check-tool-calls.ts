import { randomInt } from 'node:crypto';
import { isJsonObject } from '@svc/validation';
import { wholeCharacters } from './character-joiner';
import { InvalidReplyError } from './invalid-reply.error';
import { parseJson } from './provider-reply';
import { callBytes } from './raw-tool-call';
import type { RawToolCall } from './raw-tool-call';
import type { ReplyRules } from './reply-rules';
import type { ReplySchemas } from './schema-checks.service';
import type { ToolCall } from './whole-reply';

/** The templates of Mistral's models take no other ids than nine of these, and clients send ours back. */
const ID_CHARS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const ID_LENGTH = 9;

/**
 * What may be delivered of the calls, each with an id of ours. Where one at most is wanted, that is the first: many servers do not know
 * `parallel_tool_calls`, and a client that gets one call goes on as if the others had not been thought of yet.
 * @param cut the reply was cut short (at `max_tokens`, say), so that a broken last call is nobody's fault: it is left out
 * @throws InvalidReplyError `tool_arguments` for arguments that are no JSON, by nobody's wish; `tool_call` for a call to what
 *   was not offered, or arguments that are no object (spec section 2.2) or break a strict function's schema
 */
export async function checkToolCalls(
  calls: RawToolCall[],
  rules: ReplyRules,
  schemas: ReplySchemas,
  cut: boolean,
): Promise<ToolCall[]> {
  const checked: ToolCall[] = [];
  const wanted = rules.parallelCalls ? calls : calls.slice(0, 1);
  for (const [index, call] of wanted.entries()) {
    const { id: providerId, name, extraContent } = call;
    const mayBeCut = cut && index === calls.length - 1;
    const args = mayBeCut ? call.arguments : argumentsOf(call, rules);
    const problem = await problemOf({ ...call, arguments: args }, rules, schemas);
    if (!problem) checked.push({ id: newCallId(), providerId, name, arguments: args, extraContent });
    else if (!mayBeCut) throw new InvalidReplyError(problem);
  }
  return checked;
}

/** Whether the last of them, of those that are wanted, has arguments that are no JSON: what is left of a call that was cut off. */
export function isLastCallBroken(calls: RawToolCall[], { parallelCalls }: ReplyRules): boolean {
  const last = parallelCalls || calls.length === 1 ? calls.at(-1) : undefined;
  return last !== undefined && parseJson(last.arguments) === undefined;
}

/** What the model wrote in vain: calls beyond the one that was wanted, UTF-8 bytes. */
export function unwantedCallBytes(calls: RawToolCall[], { parallelCalls }: ReplyRules): number {
  return parallelCalls ? 0 : calls.slice(1).reduce((bytes, call) => bytes + callBytes(call), 0);
}

/** For a call that gives no parameter vLLM's parsers, as Anthropic's streams, may write nothing at all where others write `{}`. */
function argumentsOf({ name, arguments: args }: RawToolCall, rules: ReplyRules): string {
  const isNone = args.trim() === '' && rules.undemanding.has(name) && !rules.mayStop;
  return isNone ? '{}' : args;
}

async function problemOf(
  { name, arguments: args }: RawToolCall,
  rules: ReplyRules,
  schemas: ReplySchemas,
): Promise<'tool_call' | 'tool_arguments' | undefined> {
  if (!rules.functions.has(name)) return 'tool_call';
  wholeCharacters(args);
  const value = parseJson(args);
  if (value === undefined) {
    // Nothing at all is what some servers' parsers make of arguments; a part is what the client's stop sequence leaves.
    const mayBeTheRequest = args.trim() === '' || rules.mayStop || rules.mayStray;
    return mayBeTheRequest ? 'tool_call' : 'tool_arguments';
  }
  if (!isJsonObject(value)) return 'tool_call';
  const schema = rules.functions.get(name);
  return schema === undefined || (await schemas.matches(schema, value)) ? undefined : 'tool_call';
}

function newCallId(): string {
  return Array.from({ length: ID_LENGTH }, () => ID_CHARS.charAt(randomInt(ID_CHARS.length))).join('');
}
