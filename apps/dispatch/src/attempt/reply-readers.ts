import { SseParser, SseTooLargeError } from '../provider-client/sse-parser';
import { Utf8Decoder } from '../provider-client/utf8-decoder';
import { InvalidReplyError } from '../validation/invalid-reply.error';
import { readPlainReply } from '../validation/plain-reply';
import type { ReplyRules } from '../validation/reply-rules';
import type { SchemaChecks } from '../validation/schema-checks.service';
import type { StreamReply } from '../validation/stream-reply';
import type { WholeReply } from '../validation/whole-reply';

/** Turns the bytes of a provider's reply into a checked one; bounded in what it takes and keeps. */
export interface ReplyReader {
  /** Grows while the provider makes progress; silence and empty chunks are none. 0 before the first token. */
  readonly progress: number;
  /** UTF-8 bytes of what the model has written so far, as far as they can be told. */
  readonly outputBytes: number;
  /** What is missing now can be done without. */
  readonly finished: boolean;
  /**
   * @returns false when the reply is whole and nothing more is wanted
   * @throws InvalidReplyError
   */
  take(bytes: Buffer): boolean;
  /**
   * There is no more to come.
   * @throws InvalidReplyError
   */
  conclude(): WholeReply;
}

const MAX_PLAIN_BYTES = 8 * 1024 * 1024;
const MAX_EVENT_CHARS = 2 * 1024 * 1024;
/** A token in a chunk of its own, with twenty log probabilities, is some 3 kB. */
const STREAM_BYTES_PER_TOKEN = 4 * 1024;
const STREAM_BYTES_BASE = 1024 * 1024;
/** The longest tokens there are, runs of spaces, have 128 characters. */
const OUTPUT_BYTES_PER_TOKEN = 128;
const OUTPUT_BYTES_BASE = 16 * 1024;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

/** More than this cannot be `maxTokens` tokens. */
export function maxOutputBytes(maxTokens: number): number {
  return Math.min(OUTPUT_BYTES_BASE + maxTokens * OUTPUT_BYTES_PER_TOKEN, MAX_OUTPUT_BYTES);
}

/** Reads a reply that comes in one piece. */
export class PlainReader implements ReplyReader {
  readonly finished = false;
  readonly outputBytes = 0;
  private readonly pieces: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly rules: ReplyRules,
    private readonly schemas: SchemaChecks,
    private readonly maxTokens: number,
  ) {}

  /** The first byte is all the progress there is: what follows has the time of one chunk. */
  get progress(): number {
    return this.bytes > 0 ? 1 : 0;
  }

  take(bytes: Buffer): boolean {
    this.bytes += bytes.length;
    if (this.bytes > MAX_PLAIN_BYTES) throw new InvalidReplyError('too_large');
    this.pieces.push(bytes);
    return true;
  }

  conclude(): WholeReply {
    const [only] = this.pieces;
    const whole = this.pieces.length === 1 && only ? only : Buffer.concat(this.pieces);
    const decoder = new Utf8Decoder();
    const text = decoder.write(whole);
    decoder.end();
    const reply = readPlainReply(text, this.rules, this.schemas);
    if (reply.outputBytes > maxOutputBytes(this.maxTokens)) throw new InvalidReplyError('too_large');
    return reply;
  }
}

/** Reads a reply that comes as server-sent events. */
export class StreamReader implements ReplyReader {
  private readonly decoder = new Utf8Decoder();
  private readonly parser: SseParser;
  private readonly maxBytes: number;
  private bytes = 0;
  private done = false;

  constructor(
    private readonly reply: StreamReply,
    maxTokens: number,
  ) {
    this.maxBytes = STREAM_BYTES_BASE + maxTokens * STREAM_BYTES_PER_TOKEN;
    this.parser = new SseParser((data) => {
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

  get outputBytes(): number {
    return this.reply.outputBytes;
  }

  take(bytes: Buffer): boolean {
    this.bytes += bytes.length;
    if (this.bytes > this.maxBytes) throw new InvalidReplyError('too_large');
    try {
      this.parser.push(this.decoder.write(bytes));
    } catch (error) {
      throw error instanceof SseTooLargeError ? new InvalidReplyError('too_large') : error;
    }
    return !this.done;
  }

  conclude(): WholeReply {
    if (!this.done) {
      this.decoder.end();
      this.parser.end();
    }
    return this.reply.conclude();
  }
}
