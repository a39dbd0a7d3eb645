const BLANK_LINE = '\n\n';
/** Of packed events, the lines before the texts: the shell's two halves, and how many texts there are. */
const HEAD_LINES = 3;

/**
 * What server-sent events have in common that are alike but for one text. Such an event is `before`, its text, `after` and a blank line;
 * none of the three has a line end.
 */
export class EventShell {
  /** Of an event, without its text. */
  readonly bytes: number;

  constructor(
    readonly before: string,
    readonly after: string,
  ) {
    this.bytes = Buffer.byteLength(before) + Buffer.byteLength(after) + BLANK_LINE.length;
  }

  /** The events, as a client gets them. */
  around(texts: readonly string[]): string {
    return eventsOf(this.before, this.after, texts);
  }
}

function eventsOf(before: string, after: string, texts: readonly string[]): string {
  if (texts.length === 0) return '';
  return before + texts.join(after + BLANK_LINE + before) + after + BLANK_LINE;
}

/** Events as they travel: lines with the two halves of their shell, the number of texts and each text; the rest is ready text. */
export interface PackedEvents {
  readonly packed: Buffer;
  /** As a client gets them. */
  readonly bytes: number;
}

/** @param rest ready events, which follow */
export function packEvents(shell: EventShell, texts: readonly string[], rest: string): PackedEvents {
  const { before, after } = shell;
  const count = String(texts.length);
  const packed = Buffer.from([before, after, count, ...texts, rest].join('\n'));
  // Around the texts stand the shell, once, with one line end for each of its halves; the count; and as many line ends as parts.
  const textAndRestBytes = packed.length - shell.bytes - count.length - (texts.length + 1);
  return { packed, bytes: textAndRestBytes + texts.length * shell.bytes };
}

/** @returns what a client gets; undefined for what was not packed */
export function unpackEvents(packed: Buffer): Buffer | undefined {
  const lines = packed.toString('utf8').split('\n');
  const [before, after, count] = lines;
  const restAt = HEAD_LINES + Number(count);
  if (before === undefined || after === undefined || !(restAt < lines.length)) return undefined;
  const events = eventsOf(before, after, lines.slice(HEAD_LINES, restAt));
  return Buffer.from(events + lines.slice(restAt).join('\n'));
}
