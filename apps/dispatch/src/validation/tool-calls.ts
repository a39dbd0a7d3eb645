import { randomInt } from 'node:crypto';
import { extraContentProblem, halfCharacterIn, isJsonObject } from '@svc/validation';
import { wholeCharacters } from './character-joiner';
import { InvalidReplyError } from './invalid-reply.error';
import { GatheredText } from '../provider-client/gathered-text';
import { ownText } from '../provider-client/own-text';
import { optionalText, parseJson } from './provider-reply';
import type { ReplyRules } from './reply-rules';
import type { ReplySchemas } from './schema-checks.service';
import type { ToolCall } from './whole-reply';

/** A call as the provider wrote it. */
export interface RawToolCall {
  /** Empty where it gave none. */
  id: string;
  name: string;
  arguments: string;
  extraContent?: object;
}

const MAX_CALLS = 128;
/** As JSON; Gemini's signatures have some thousand characters. */
const MAX_EXTRA_CHARS = 16 * 1024;
const MAX_ID_CHARS = 200;
/** The templates of Mistral's models take no other ids than nine of these, and clients send ours back. */
const ID_CHARS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const ID_LENGTH = 9;

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

/** A call that is still coming. */
interface PartialCall {
  readonly index: number;
  id: string;
  name: string;
  readonly arguments: GatheredText;
  extraContent?: object;
  /** In how many the arguments came so far. */
  pieces: number;
  /** One of them came without a name: its server says the name once a call. */
  isNamedOnce: boolean;
  /** Another id came with a name while the arguments were not whole: its server makes up an id for each piece. */
  hasManyIds: boolean;
}

/** What a piece says; empty where it says nothing. */
interface Piece {
  id: string;
  name: string;
  args: string;
}

/** Gathers calls from the deltas of a stream, where they come in pieces. */
export class ToolCallBuffer {
  private readonly calls: PartialCall[] = [];
  private last = -1;
  private beside = 0;

  /** Bytes that are kept beside what the model wrote, about: what the server put there for itself, and its ids. */
  get besideBytes(): number {
    return this.beside;
  }

  /** In the provider's order. */
  get all(): RawToolCall[] {
    return this.calls
      .toSorted((a, b) => a.index - b.index)
      .map(({ arguments: args, id, name, extraContent }) => {
        return { id, name, arguments: args.toString(), extraContent };
      });
  }

  /**
   * @param value a delta's `tool_calls`
   * @returns the bytes that were added
   * @throws InvalidReplyError when it has not OpenAI's shape
   */
  add(value: unknown): number {
    if (value === undefined || value === null) return 0;
    if (!Array.isArray(value)) throw new InvalidReplyError('call_shape');
    let bytes = 0;
    for (const piece of value as unknown[]) {
      if (!isJsonObject(piece) || !isFunctionType(piece.type)) throw new InvalidReplyError('call_shape');
      const given = piece.function ?? {};
      if (!isJsonObject(given)) throw new InvalidReplyError('call_shape');
      const name = optionalText(given.name) ?? '';
      const args = argumentsText(given.arguments);
      const id = idOf(piece.id);
      const call = this.callAt(piece.index, { id, name, args });
      // Some servers repeat the name with every piece, some make up an id for each. With both it is another call, whose
      // pieces nobody can tell from this one's.
      const isAnother = id !== '' && call.id !== '' && id !== call.id;
      if (isAnother && name !== '' && name !== call.name) throw new InvalidReplyError('call_shape');
      this.note(call, id, piece.extra_content);
      // What is repeated was written once: nobody pays for it again.
      const newName = name === call.name ? '' : name;
      call.name += newName;
      call.arguments.add(args);
      if (args !== '') call.pieces++;
      if (args !== '' && name === '') call.isNamedOnce = true;
      bytes += callBytes({ name: newName, arguments: args });
    }
    return bytes;
  }

  /** What stands beside a call, where it was not known yet. */
  private note(call: PartialCall, id: string, extraContent: unknown): void {
    if (call.id === '') {
      call.id = id;
      this.beside += id.length;
    }
    if (call.extraContent) return;
    const extra = extraContentOf(extraContent);
    if (!extra) return;
    call.extraContent = extra.value;
    this.beside += extra.chars;
  }

  /** Servers that make one call at a time may leave the index out: an id then begins the next. */
  private callAt(given: unknown, piece: Piece): PartialCall {
    const index = given ?? (piece.id === '' ? Math.max(this.last, 0) : this.last + 1);
    if (!Number.isInteger(index) || (index as number) < 0) throw new InvalidReplyError('call_shape');
    this.last = index as number;
    const known = this.calls.findLast((call) => call.index === index);
    if (known && !isOver(known, piece)) return known;
    if (this.last >= MAX_CALLS || this.calls.length === MAX_CALLS) throw new InvalidReplyError('tool_call');
    const call = {
      ...{ index: this.last, id: '', name: '', arguments: new GatheredText() },
      ...{ pieces: 0, isNamedOnce: false, hasManyIds: false },
    };
    this.calls.push(call);
    return call;
  }
}

/**
 * Some servers give one index to several calls. Ollama's have each whole in a piece of its own: whatever is named after such a one, and is
 * not the same again, is the next. SGLang's (some parsers count tools, not calls), and older ones of vLLM, have it in pieces of which
 * the first has name and id: it begins the next where the one before is whole.
 */
function isOver(call: PartialCall, { id, name, args }: Piece): boolean {
  if (name === '') return false;
  const isAnother = id !== '' && call.id !== '' && id !== call.id;
  const mayBegin = call.isNamedOnce && isAnother && !call.hasManyIds;
  const mayBeWhole = args.trim() !== '' && (id === '' || id !== call.id) && call.pieces === 1;
  if (!mayBegin && !mayBeWhole) return false;
  const isWhole = isJsonObject(parseJson(call.arguments.toString()));
  // Nor is it looked at again: that would take the longer the more has come.
  call.hasManyIds ||= isAnother && !isWhole;
  return isWhole;
}

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

/** UTF-8 bytes that the model wrote of a call. */
export function callBytes({ name, arguments: args }: Pick<RawToolCall, 'name' | 'arguments'>): number {
  return Buffer.byteLength(name) + Buffer.byteLength(args);
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

/**
 * The text of a call's arguments, or of a piece of them; empty where there are none. TGI until version 3.1, and llama.cpp's server in some
 * builds of March 2026, write the document itself.
 * @throws InvalidReplyError for what is neither, or would not be the same as text: no more than a double holds is known of a number by now
 */
function argumentsText(value: unknown): string {
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

function isFunctionType(type: unknown): boolean {
  return type === undefined || type === null || type === '' || type === 'function';
}

function idOf(value: unknown): string {
  return typeof value === 'string' ? ownText(value.slice(0, MAX_ID_CHARS)) : '';
}

/**
 * What is beside a call is the server's own, and nobody else's to judge; what nobody would or could send back is left out.
 * @returns with how long it is as JSON
 */
function extraContentOf(value: unknown): { value: object; chars: number } | undefined {
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

function newCallId(): string {
  return Array.from({ length: ID_LENGTH }, () => ID_CHARS.charAt(randomInt(ID_CHARS.length))).join('');
}
