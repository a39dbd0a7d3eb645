import { randomBytes } from 'node:crypto';
import { InvalidReplyError } from './invalid-reply.error';
import { GatheredText } from '../provider-client/gathered-text';
import { isObject, optionalText, parseJson } from './provider-reply';
import type { ReplyRules } from './reply-rules';
import type { SchemaChecks } from './schema-checks.service';
import type { ToolCall } from './whole-reply';

/** A call as the provider wrote it. */
export interface RawToolCall {
  /** Empty where it gave none. */
  id: string;
  name: string;
  arguments: string;
}

const MAX_CALLS = 128;
const MAX_ID_CHARS = 200;

/**
 * The calls of a plain reply's message.
 * @throws InvalidReplyError when they have not OpenAI's shape
 */
export function readToolCalls(value: unknown): RawToolCall[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > MAX_CALLS) throw new InvalidReplyError('tool_call');
  return value.map((call: unknown) => {
    if (!isObject(call) || !isFunctionType(call.type) || !isObject(call.function)) {
      throw new InvalidReplyError('tool_call');
    }
    const { name, arguments: args } = call.function;
    if (typeof name !== 'string' || typeof args !== 'string') throw new InvalidReplyError('tool_call');
    return { id: idOf(call.id), name, arguments: args };
  });
}

/** A call that is still coming. */
interface PartialCall {
  id: string;
  name: string;
  arguments: GatheredText;
}

/** Gathers calls from the deltas of a stream, where they come in pieces. */
export class ToolCallBuffer {
  private readonly calls = new Map<number, PartialCall>();
  private last = -1;

  /** In the provider's order. */
  get all(): RawToolCall[] {
    return [...this.calls]
      .sort(([a], [b]) => a - b)
      .map(([, { id, name, arguments: args }]) => ({ id, name, arguments: args.toString() }));
  }

  /**
   * @param value a delta's `tool_calls`
   * @returns the bytes that were added
   * @throws InvalidReplyError when it has not OpenAI's shape
   */
  add(value: unknown): number {
    if (value === undefined || value === null) return 0;
    if (!Array.isArray(value)) throw new InvalidReplyError('tool_call');
    let bytes = 0;
    for (const piece of value as unknown[]) {
      if (!isObject(piece) || !isFunctionType(piece.type)) throw new InvalidReplyError('tool_call');
      const given = piece.function ?? {};
      if (!isObject(given)) throw new InvalidReplyError('tool_call');
      const name = optionalText(given.name) ?? '';
      const args = optionalText(given.arguments) ?? '';
      const call = this.callAt(piece.index, piece.id);
      if (call.id === '') call.id = idOf(piece.id);
      // Some servers repeat the name with every piece.
      if (name !== call.name) call.name += name;
      call.arguments.add(args);
      bytes += Buffer.byteLength(name) + Buffer.byteLength(args);
    }
    return bytes;
  }

  /** Servers that make one call at a time may leave the index out: an id then begins the next. */
  private callAt(given: unknown, id: unknown): PartialCall {
    const implied = typeof id === 'string' && id !== '' ? this.last + 1 : Math.max(this.last, 0);
    const index = given ?? implied;
    if (!Number.isInteger(index) || (index as number) < 0 || (index as number) >= MAX_CALLS) {
      throw new InvalidReplyError('tool_call');
    }
    this.last = index as number;
    let call = this.calls.get(this.last);
    if (!call) this.calls.set(this.last, (call = { id: '', name: '', arguments: new GatheredText() }));
    return call;
  }
}

/**
 * What may be delivered of the calls, each with an id of ours.
 * @param cut the reply was cut short (at `max_tokens`, say), so that a broken last call is nobody's fault: it is left out
 * @throws InvalidReplyError for a call to what was not offered, or arguments that are no JSON object (spec section 2.2) or
 *   break a strict function's schema
 */
export function checkToolCalls(
  calls: RawToolCall[],
  rules: ReplyRules,
  schemas: SchemaChecks,
  cut: boolean,
): ToolCall[] {
  const checked: ToolCall[] = [];
  for (const [index, call] of calls.entries()) {
    const { id: providerId, name, arguments: args } = call;
    if (isValid(call, rules, schemas)) checked.push({ id: newCallId(), providerId, name, arguments: args });
    else if (!cut || index < calls.length - 1) throw new InvalidReplyError('tool_call');
  }
  if (checked.length > 1 && !rules.parallelCalls) throw new InvalidReplyError('tool_choice');
  return checked;
}

function isValid(call: RawToolCall, rules: ReplyRules, schemas: SchemaChecks): boolean {
  if (call.name === '' || !rules.functions.has(call.name)) return false;
  const args = parseJson(call.arguments);
  if (!isObject(args)) return false;
  const schema = rules.functions.get(call.name);
  return schema === undefined || schemas.matches(schema, args);
}

function isFunctionType(type: unknown): boolean {
  return type === undefined || type === null || type === '' || type === 'function';
}

function idOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_ID_CHARS) : '';
}

function newCallId(): string {
  return `call_${randomBytes(12).toString('hex')}`;
}
