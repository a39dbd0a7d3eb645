import { extraContentProblem, halfCharacterIn, isJsonObject } from '@svc/validation';
import { ownText } from '../provider-client/own-text';
import { InvalidReplyError } from './invalid-reply.error';

/** A call as the provider wrote it. */
export interface RawToolCall {
  /** Empty where it gave none. */
  id: string;
  name: string;
  arguments: string;
  extraContent?: object;
}

export const MAX_CALLS = 128;
/** As JSON; Gemini's signatures have some thousand characters. */
const MAX_EXTRA_CHARS = 16 * 1024;
const MAX_ID_CHARS = 200;

/**
 * The calls of a plain reply's message.
 * @throws InvalidReplyError when they have not OpenAI's shape
 */
export function readToolCalls(value: unknown): RawToolCall[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new InvalidReplyError('call_shape');
  if (value.length > MAX_CALLS) throw new InvalidReplyError('tool_call');
  return value.map((call: unknown) => {
    if (!isJsonObject(call) || !isFunctionType(call.type) || !isJsonObject(call.function)) {
      throw new InvalidReplyError('call_shape');
    }
    const { name, arguments: args } = call.function;
    if (typeof name !== 'string') throw new InvalidReplyError('call_shape');
    return {
      id: idOf(call.id),
      name,
      arguments: argumentsText(args),
      extraContent: extraContentOf(call.extra_content)?.value,
    };
  });
}

/** UTF-8 bytes that the model wrote of a call. */
export function callBytes({ name, arguments: args }: Pick<RawToolCall, 'name' | 'arguments'>): number {
  return Buffer.byteLength(name) + Buffer.byteLength(args);
}

/**
 * The text of a call's arguments, or of a piece of them; empty where there are none. TGI until version 3.1, and llama.cpp's server in some
 * builds of March 2026, write the document itself.
 * @throws InvalidReplyError for what is neither, or would not be the same as text: no more than a double holds is known of a number by now
 */
export function argumentsText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) throw new InvalidReplyError('call_shape');
  if (halfCharacterIn(value) !== undefined) throw new InvalidReplyError('not_utf8');
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'number' && !isKept(part)) throw new InvalidReplyError('call_shape');
    return part;
  });
}

function isKept(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

export function isFunctionType(type: unknown): boolean {
  return type === undefined || type === null || type === '' || type === 'function';
}

export function idOf(value: unknown): string {
  return typeof value === 'string' ? ownText(value.slice(0, MAX_ID_CHARS)) : '';
}

/**
 * What is beside a call is the server's own, and nobody else's to judge; what nobody would or could send back is left out.
 * @returns with how long it is as JSON
 */
export function extraContentOf(value: unknown): { value: object; chars: number } | undefined {
  if (
    !isJsonObject(value) ||
    extraContentProblem(value) !== undefined ||
    halfCharacterIn(value) !== undefined
  ) {
    return undefined;
  }
  const chars = JSON.stringify(value).length;
  return chars <= MAX_EXTRA_CHARS ? { value, chars } : undefined;
}
