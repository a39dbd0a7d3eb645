import { GatheredBytes } from '@svc/collections';
import type { FailureReason } from '@svc/contracts';
import { SseParser, SseTooLargeError } from '../provider-client/sse-parser';
import { InvalidReplyError } from '../validation/invalid-reply.error';
import { readPlainReply } from '../validation/plain-reply';
import type { ReplyRules } from '../validation/reply-rules';
import { maxOutputBytes } from '../validation/reply-size';
import type { ReplySchemas } from '../validation/schema-checks.service';
import type { StreamReply } from '../validation/stream-reply';
import { Utf8Text, utf8Of } from '../validation/utf8-text';
import type { WholeReply } from '../validation/whole-reply';
import { WireLimits } from './wire-limits';

/** Turns the bytes of a provider's reply into a checked one; bounded in what it takes and keeps. */
export interface ReplyReader {
  /** Grows while the provider makes progress; silence and empty chunks are none. 0 before the first token. */
  readonly progress: number;
  /** UTF-8 bytes of what the model has written that were passed on as they came, without what nobody sees. */
  readonly passedOnBytes: number;
  /** What it keeps in memory, about. */
  readonly heldBytes: number;
  /** The finish reason has come: what may still come (usage, `[DONE]`) can be done without. */
  readonly finished: boolean;
  /**
   * @param pieces in how many they came
   * @returns false when the reply is whole and nothing more is wanted
   * @throws InvalidReplyError
   */
  take(bytes: Buffer, pieces: number): boolean;
  /**
   * There is no more to come.
   * @throws InvalidReplyError
   * @throws CrowdedOutError when its schemas were not looked at in good time
   */
  conclude(): Promise<WholeReply>;
  /** Whether `error`, which `conclude` threw, may only mean that the rest of the reply has not come. */
  isCutBy(error: InvalidReplyError): boolean;
}

/** Of all bytes up to this, blanks alone may stand before a JSON document (RFC 8259, section 2). */
const SPACE = 0x20;
const BYTE_ORDER_MARK = '\ufeff';
const MAX_PLAIN_BYTES = 8 * 1024 * 1024;
const MAX_EVENT_CHARS = 2 * 1024 * 1024;

/** Reads a reply that comes in one piece. */
export class PlainReader implements ReplyReader {
  readonly finished = false;
  readonly passedOnBytes = 0;
  private readonly body = new GatheredBytes();
  private begun = false;
  private readonly limits: WireLimits;

  constructor(
    private readonly rules: ReplyRules,
    private readonly schemas: ReplySchemas,
    private readonly maxTokens: number,
  ) {
    this.limits = new WireLimits(maxTokens, MAX_PLAIN_BYTES);
  }

  /**
   * The first byte of the document is all the progress there is: what follows has the time of one chunk. Blank lines before it are no sign
   * of life (DeepSeek's servers write them for as long as a request waits).
   */
  get progress(): number {
    return this.begun ? 1 : 0;
  }

  get heldBytes(): number {
    return this.body.length;
  }

  take(bytes: Buffer, pieces: number): boolean {
    this.limits.count(bytes.length, pieces);
    this.begun ||= saysSomething(bytes);
    this.body.add(bytes);
    return true;
  }

  async conclude(): Promise<WholeReply> {
    const text = utf8Of(this.body.concat());
    // A byte order mark is ignored, as every client does that decodes UTF-8 by the Encoding Standard.
    const document = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
    const reply = await readPlainReply(document, this.rules, this.schemas, this.maxTokens);
    if (reply.outputBytes > maxOutputBytes(this.maxTokens)) throw new InvalidReplyError('too_large');
    return reply;
  }

  /** No part of a document can be told from what was never meant to be one. */
  isCutBy(): boolean {
    return false;
  }
}

function saysSomething(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] ?? 0) > SPACE) return true;
  return false;
}

/** What a stream is found to be at its end that was cut between two events, in one, or in a character. */
const CUT_REASONS: ReadonlySet<FailureReason> = new Set(['no_finish_reason', 'not_json', 'not_utf8']);

/** Reads a reply that comes as server-sent events. */
export class StreamReader implements ReplyReader {
  private readonly text = new Utf8Text();
  private readonly parser: SseParser;
  private readonly limits: WireLimits;
  private done = false;

  constructor(
    private readonly reply: StreamReply,
    maxTokens: number,
  ) {
    this.limits = new WireLimits(maxTokens);
    this.parser = new SseParser((data) => {
      this.limits.count(0, 1);
      this.done = !reply.take(data);
      return !this.done;
    }, MAX_EVENT_CHARS);
  }

  get progress(): number {
    return this.reply.outputBytes + (this.reply.finished ? 1 : 0);
  }

  get finished(): boolean {
    return this.reply.finished;
  }

  get passedOnBytes(): number {
    return this.reply.passedOnBytes;
  }

  get heldBytes(): number {
    return this.reply.heldBytes + this.parser.heldChars;
  }

  take(bytes: Buffer, pieces: number): boolean {
    this.limits.count(bytes.length, pieces);
    try {
      this.parser.push(this.text.read(bytes));
    } catch (error) {
      throw error instanceof SseTooLargeError ? new InvalidReplyError('too_large') : error;
    }
    return !this.done;
  }

  async conclude(): Promise<WholeReply> {
    if (!this.done) this.takeRest();
    return this.reply.conclude();
  }

  isCutBy({ reason }: InvalidReplyError): boolean {
    return !this.done && CUT_REASONS.has(reason);
  }

  /** The last event, which may have been cut. */
  private takeRest(): void {
    try {
      this.text.end();
      this.parser.end();
    } catch (error) {
      // After the finish reason there is nothing in it that cannot be done without.
      const isCut =
        InvalidReplyError.is(error) && (error.reason === 'not_json' || error.reason === 'not_utf8');
      if (!isCut || !this.reply.finished) throw error;
    }
  }
}
