import { GatheredText } from './gathered-text';
import { ownText } from './own-text';

/** Thrown when one event grows past the limit. */
export class SseTooLargeError extends Error {}

/** llama.cpp, until September 2025, sends errors in a field of their own. They are handed on as others send theirs, as data. */
const ERROR = '{"error":{}}';

const LINE_ENDS = /\r\n?/g;
const CR = 0x0d;
const LF = 0x0a;

/**
 * Splits text into the data of server-sent events (WHATWG HTML, "Server-sent events"): LF, CRLF or CR line ends,
 * comments, several data lines an event, an event cut anywhere. Field names other than `data` are of no use here, but for `error`. Unlike
 * the standard it gives a last event that has no blank line after it. Each character is looked at once, however it is cut.
 */
export class SseParser {
  /** A line whose end has not come. */
  private readonly rest = new GatheredText();
  /** The first data line of the event under way, and those after it. */
  private data: string | undefined;
  /** It is a text by itself, and no view of the one it came in. */
  private isDataOwn = false;
  private moreData: GatheredText | undefined;
  private first = true;
  /** The text so far ends with a CR: an LF that follows is the same line end. */
  private endedWithCr = false;

  /**
   * @param onData called with the data of each event; the parser stops when it answers false
   * @param maxEventChars the longest event
   */
  constructor(
    private readonly onData: (data: string) => boolean,
    private readonly maxEventChars: number,
  ) {}

  /** Characters of the event under way. */
  get heldChars(): number {
    return this.rest.length + (this.data?.length ?? 0) + (this.moreData?.length ?? 0);
  }

  /** @throws SseTooLargeError */
  push(given: string): void {
    const text = this.normalised(given);
    let start = 0;
    for (;;) {
      const end = text.indexOf('\n', start);
      if (end === -1) break;
      if (!this.takeLine(text, start, end)) return;
      start = end + 1;
    }
    this.rest.add(start === 0 ? text : text.slice(start));
    if (this.data !== undefined && !this.isDataOwn) {
      this.data = ownText(this.data);
      this.isDataOwn = true;
    }
    if (this.heldChars > this.maxEventChars) throw new SseTooLargeError();
  }

  /** The text is over: gives the event under way. */
  end(): void {
    const rest = this.rest.take();
    if (rest !== '' && !this.line(rest, 0, rest.length)) return;
    this.line('', 0, 0);
  }

  /** With LF for every line end, and without a byte order mark. */
  private normalised(given: string): string {
    if (given === '') return given;
    let start = 0;
    if (this.first && given.charCodeAt(0) === 0xfeff) start = 1;
    if (this.endedWithCr && given.charCodeAt(0) === LF) start = 1;
    this.first = false;
    this.endedWithCr = given.charCodeAt(given.length - 1) === CR;
    const text = start === 0 ? given : given.slice(start);
    return text.includes('\r') ? text.replace(LINE_ENDS, '\n') : text;
  }

  private takeLine(text: string, start: number, end: number): boolean {
    if (this.rest.length === 0) return this.line(text, start, end);
    this.rest.add(text.slice(start, end));
    const line = this.rest.take();
    return this.line(line, 0, line.length);
  }

  /** @returns false when the reader wants no more */
  private line(buffer: string, start: number, end: number): boolean {
    if (start === end) return this.event();
    if (buffer.startsWith('error:', start)) return this.onData(ERROR);
    if (!buffer.startsWith('data', start)) return true;
    let from = start + 4;
    if (from < end) {
      // Another field whose name begins alike, e.g. `database:`.
      if (buffer.charCodeAt(from) !== 0x3a) return true;
      from++;
      if (buffer.charCodeAt(from) === 0x20) from++;
    }
    const value = buffer.slice(from, Math.max(from, end));
    if (this.data === undefined) {
      this.data = value;
      this.isDataOwn = false;
      return true;
    }
    this.moreData ??= new GatheredText();
    this.moreData.add('\n');
    this.moreData.add(value);
    return true;
  }

  private event(): boolean {
    const { data, moreData } = this;
    this.data = undefined;
    this.moreData = undefined;
    if (data === undefined) return true;
    return this.onData(moreData ? data + moreData.take() : data);
  }
}
