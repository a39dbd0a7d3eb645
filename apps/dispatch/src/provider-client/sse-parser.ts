/** Thrown when one event grows past the limit. */
export class SseTooLargeError extends Error {}

const LONE_CR = /\r\n?/g;

/**
 * Splits text into the data of server-sent events (WHATWG HTML, "Server-sent events"): LF, CRLF or CR line ends,
 * comments, several data lines an event, an event cut anywhere. Field names other than `data` are of no use here. Unlike the
 * standard it gives a last event that has no blank line after it.
 */
export class SseParser {
  private rest = '';
  private data: string | undefined;
  private first = true;

  /**
   * @param onData called with the data of each event; the parser stops when it answers false
   * @param maxEventChars the longest event
   */
  constructor(
    private readonly onData: (data: string) => boolean,
    private readonly maxEventChars: number,
  ) {}

  /** @throws SseTooLargeError */
  push(text: string): void {
    let searchFrom = this.rest.length;
    let buffer = searchFrom === 0 ? text : this.rest + text;
    if (this.first && buffer.length > 0) {
      this.first = false;
      if (buffer.charCodeAt(0) === 0xfeff) buffer = buffer.slice(1);
    }
    if (buffer.includes('\r')) {
      // A CR at the very end may be half a CRLF: it waits for what follows.
      const cut = buffer.endsWith('\r') ? buffer.length - 1 : buffer.length;
      buffer = buffer.slice(0, cut).replace(LONE_CR, '\n') + buffer.slice(cut);
      searchFrom = 0;
    }
    let start = 0;
    for (;;) {
      const end = buffer.indexOf('\n', Math.max(start, searchFrom));
      if (end === -1) break;
      if (!this.line(buffer, start, end)) {
        this.rest = '';
        return;
      }
      start = end + 1;
    }
    this.rest = start === 0 ? buffer : buffer.slice(start);
    if (this.rest.length + (this.data?.length ?? 0) > this.maxEventChars) throw new SseTooLargeError();
  }

  /** The text is over: gives the event under way. */
  end(): void {
    const rest = this.rest.endsWith('\r') ? this.rest.slice(0, -1) : this.rest;
    this.rest = '';
    if (rest !== '' && !this.line(rest, 0, rest.length)) return;
    this.line('', 0, 0);
  }

  /** @returns false when the reader wants no more */
  private line(buffer: string, start: number, end: number): boolean {
    if (start === end) {
      const data = this.data;
      this.data = undefined;
      return data === undefined || this.onData(data);
    }
    if (buffer.startsWith('data', start)) {
      let from = start + 4;
      if (from < end) {
        // Another field whose name begins alike, e.g. `database:`.
        if (buffer.charCodeAt(from) !== 0x3a) return true;
        from++;
        if (buffer.charCodeAt(from) === 0x20) from++;
      }
      const value = buffer.slice(from, Math.max(from, end));
      this.data = this.data === undefined ? value : `${this.data}\n${value}`;
    }
    return true;
  }
}
