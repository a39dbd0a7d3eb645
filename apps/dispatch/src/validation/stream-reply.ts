import type { FinishReason, ReasoningField } from '@svc/contracts';
import { isJsonObject } from '@svc/validation';
import { GatheredText } from '../provider-client/gathered-text';
import { CharacterJoiner } from './character-joiner';
import { ChunkTemplate, isTextOnly } from './chunk-template';
import { concludeReply, finishReasonOf } from './conclude-reply';
import { InvalidReplyError } from './invalid-reply.error';
import { checkRole, optionalText, parseObject, usageOf, wordsOf } from './provider-reply';
import type { Unchecked } from './provider-reply';
import type { ReplyRules } from './reply-rules';
import { maxOutputBytes } from './reply-size';
import type { ReplySchemas } from './schema-checks.service';
import { ToolCallBuffer } from './tool-call-buffer';
import { UnseenText, isSeen } from './unseen-text';
import type { ClaimedUsage, WholeReply } from './whole-reply';

/** Where the texts of a stream go as they come. */
export interface DeltaSink {
  /** @param field `"content":"…"`, or another field of a delta, as JSON */
  delta(field: string): void;
}

/** Thrown when the provider says under status 200, in the middle of its stream or instead of a reply, that it failed. */
export class ProviderErrorEvent extends Error {}

/** Of xAI's servers: on any chunk, and so no end by itself. */
const END_TURN = 'end_turn';

type TextField = 'content' | 'refusal' | 'reasoning_content';

/**
 * A provider's stream (`chat.completion.chunk`s), read chunk by chunk. Texts go to the sink at once, or are held when
 * there is none; tool calls are always held until the reply is whole.
 */
export class StreamReply {
  private readonly template = new ChunkTemplate();
  private readonly calls = new ToolCallBuffer();
  private readonly held: Record<TextField, GatheredText> = {
    content: new GatheredText(),
    refusal: new GatheredText(),
    reasoning_content: new GatheredText(),
  };
  private readonly joiners: Record<TextField, CharacterJoiner> = {
    content: new CharacterJoiner(),
    refusal: new CharacterJoiner(),
    reasoning_content: new CharacterJoiner(),
  };
  private readonly unseen: Record<TextField, UnseenText> = {
    content: new UnseenText(),
    refusal: new UnseenText(),
    reasoning_content: new UnseenText(),
  };
  private reasoningField: ReasoningField | undefined;
  private finishReason: FinishReason | undefined;
  private endsTurn = false;
  private isDone = false;
  private usage: ClaimedUsage | undefined;
  private bytes = 0;
  /** Of these, those of tool calls. */
  private callBytes = 0;
  private refused = false;
  private hasWords = false;
  private readonly maxOutputBytes: number;

  /**
   * @param sink where texts go; undefined holds them
   * @param maxTokens what the provider was asked to keep to
   */
  constructor(
    private readonly rules: ReplyRules,
    private readonly schemas: ReplySchemas,
    private readonly sink: DeltaSink | undefined,
    private readonly maxTokens: number,
  ) {
    this.maxOutputBytes = maxOutputBytes(maxTokens);
  }

  /** A finish reason has come: what is missing now (usage, `[DONE]`) can be done without. */
  get finished(): boolean {
    return this.finishReason !== undefined;
  }

  get outputBytes(): number {
    return this.bytes;
  }

  /** Of what was written, what left as it came, and is seen: calls never leave so. */
  get passedOnBytes(): number {
    return this.passesOn ? this.bytes - this.callBytes - this.unseenBytes : 0;
  }

  /** How many bytes are kept here. */
  get heldBytes(): number {
    return (this.passesOn ? this.callBytes : this.bytes) + this.calls.besideBytes;
  }

  /** Texts leave as they come, from the first on that has anything to be seen: until then the reply can be replaced unseen. */
  private get passesOn(): boolean {
    return this.sink !== undefined && this.hasWords;
  }

  /** Of the texts. */
  private get unseenBytes(): number {
    return Object.values(this.unseen).reduce((bytes, text) => bytes + text.bytes, 0);
  }

  /**
   * Takes the data of one event.
   * @returns false when it was the last
   * @throws InvalidReplyError when the stream must not be delivered further
   * @throws ProviderErrorEvent
   */
  take(data: string): boolean {
    const plain = this.template.contentIn(data);
    if (plain !== undefined) {
      // No half character is in it, so none that came before it can be made whole.
      this.joiners.content.end();
      this.count(Buffer.byteLength(plain));
      this.unseen.content.take(plain);
      this.noteWords(plain);
      if (this.sink && this.hasWords) this.sink.delta(`"content":"${plain}"`);
      else this.held.content.add(plain);
      return true;
    }
    // Some servers write a space after it, or an event that holds nothing, to keep the connection.
    const said = data.trim();
    if (said === '[DONE]') {
      this.isDone = true;
      return false;
    }
    if (said === '' || said === 'null') return true;
    const chunk = parseObject(data);
    if (chunk.error !== undefined && chunk.error !== null) throw new ProviderErrorEvent();
    this.usage = usageOf(chunk.usage) ?? this.usage;
    const { choices } = chunk;
    if (!Array.isArray(choices)) {
      // Anthropic's servers ping among OpenAI's chunks as among their own.
      if (isJsonObject(chunk.usage) || chunk.type === 'ping') return true;
      throw new InvalidReplyError('shape');
    }
    if (choices.length > 1) throw new InvalidReplyError('shape');
    if (choices.length === 1) this.takeChoice(data, chunk, (choices as unknown[])[0]);
    return true;
  }

  /**
   * The stream is over.
   * @throws InvalidReplyError when what came is not a whole and valid reply
   */
  async conclude(): Promise<WholeReply> {
    for (const joiner of Object.values(this.joiners)) joiner.end();
    const { content, refusal, reasoning_content: reasoning } = this.held;
    const thoughts = reasoning.toString();
    const parts = {
      finishReason: this.finishReason ?? (this.endsTurn && this.isDone ? END_TURN : undefined),
      content: content.toString(),
      // Says that there was one, though it may have been passed on already.
      refusal: this.refused ? refusal.toString() : undefined,
      reasoning: thoughts === '' ? undefined : thoughts,
      reasoningField: this.reasoningField,
      calls: this.calls.all,
      usage: this.usage,
      outputBytes: this.bytes,
      unseenBytes: this.unseenBytes,
      hasWords: this.hasWords,
      maxTokens: this.maxTokens,
    };
    return concludeReply(parts, this.rules, this.schemas);
  }

  private takeChoice(data: string, chunk: Unchecked, choice: unknown): void {
    if (!isJsonObject(choice) || (choice.index !== undefined && choice.index !== 0)) {
      throw new InvalidReplyError('shape');
    }
    // Moonshot's servers state it there.
    this.usage ??= usageOf(choice.usage);
    // A server that streams nothing may put the whole message in one event. Others (MiniMax's) repeat what was streamed so, at its end.
    const delta = choice.delta ?? (this.bytes === 0 ? choice.message : undefined) ?? {};
    if (!isJsonObject(delta)) throw new InvalidReplyError('shape');
    checkRole(delta.role);
    if (delta.function_call !== undefined && delta.function_call !== null) {
      throw new InvalidReplyError('call_shape');
    }
    const { content, reasoning, reasoningField } = wordsOf(delta);
    this.reasoningField ??= reasoningField;
    this.text('reasoning_content', reasoning);
    this.text('content', content);
    this.text('refusal', optionalText(delta.refusal));
    const callBytes = this.calls.add(delta.tool_calls);
    this.callBytes += callBytes;
    this.count(callBytes);
    // Set last: a text may come with it, none may come after.
    const { finish_reason: ending } = choice;
    if (ending === END_TURN) {
      this.endsTurn = true;
    } else if (ending !== undefined && ending !== null && ending !== '') {
      this.finish(finishReasonOf(ending));
    } else if (content && isTextOnly(chunk, choice, delta)) {
      this.template.learn(data, content);
    }
  }

  /** Some say it twice, or `stop` beside `tool_calls`, which is the same. Who says two things is not believed either. */
  private finish(reason: FinishReason): void {
    const isCall = (value: FinishReason) => value === 'stop' || value === 'tool_calls';
    const { finishReason: stated = reason } = this;
    if (stated !== reason && !(isCall(stated) && isCall(reason))) throw new InvalidReplyError('shape');
    this.finishReason = stated === 'tool_calls' ? stated : reason;
  }

  private text(field: TextField, given: string | undefined): void {
    if (given === undefined || given === '') return;
    const value = this.joiners[field].take(given);
    if (value === '') return;
    this.count(Buffer.byteLength(value));
    this.unseen[field].take(value);
    if (field === 'refusal') this.refused = true;
    this.noteWords(value);
    if (this.sink && this.hasWords) this.sink.delta(`"${field}":${JSON.stringify(value)}`);
    else this.held[field].add(value);
  }

  /** What was held before the first of them leaves now. */
  private noteWords(text: string): void {
    if (this.hasWords || !isSeen(text)) return;
    this.hasWords = true;
    if (!this.sink) return;
    for (const [field, held] of Object.entries(this.held)) {
      if (held.length > 0) this.sink.delta(`"${field}":${JSON.stringify(held.take())}`);
    }
  }

  private count(bytes: number): void {
    if (bytes === 0) return;
    if (this.finishReason !== undefined) throw new InvalidReplyError('shape');
    this.bytes += bytes;
    if (this.bytes > this.maxOutputBytes) throw new InvalidReplyError('too_large');
  }
}
