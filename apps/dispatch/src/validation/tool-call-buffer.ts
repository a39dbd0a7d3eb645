import { isJsonObject } from '@svc/validation';
import { GatheredText } from '../provider-client/gathered-text';
import { InvalidReplyError } from './invalid-reply.error';
import { optionalText, parseJson } from './provider-reply';
import { MAX_CALLS, argumentsText, callBytes, extraContentOf, idOf, isFunctionType } from './raw-tool-call';
import type { RawToolCall } from './raw-tool-call';

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
