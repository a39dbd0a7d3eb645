/** Where a command writes. */
export interface Terminal {
  /** A line, or several, for people; nothing when programs read. */
  say(text: string): void;
  /** What the command found, for programs: the one document when they read, nothing otherwise. */
  result(document: object): void;
}

/** For people: words to standard output. */
export function wordTerminal(write: (text: string) => void): Terminal {
  return { say: (text) => write(`${plain(text)}\n`), result: () => undefined };
}

/** For programs (`--json`): one document. */
export function jsonTerminal(write: (text: string) => void): Terminal {
  return {
    say: () => undefined,
    result: (document) => write(`${JSON.stringify(document, undefined, 2)}\n`),
  };
}

/** A text without what would steer a terminal: words of the market and of probed servers stand in it. */
export function plain(text: string): string {
  return text.replace(/[^\P{C}\n\u200c\u200d]/gu, '?');
}

/** Columns as wide as their widest cell; the last is not filled up. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}
