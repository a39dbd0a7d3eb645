type Span = { kind: 'text' | 'code' | 'bold'; text: string };
export type Block =
  | { kind: 'paragraph'; spans: Span[] }
  /** `isOpen` while its end has not come. */
  | { kind: 'code'; language: string; text: string; isOpen: boolean };

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/;

/**
 * The little of Markdown that makes replies legible: fenced code, `code`, **bold**. All else stays as it was written; nothing is ever a tag,
 * a link or a picture, so a reply cannot make the page ask anybody for anything.
 */
export function parseMarkdown(text: string): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  let fence: { mark: string; language: string; lines: string[] } | undefined;
  const endParagraph = () => {
    const words = paragraph.join('\n').replace(/^\n+|\s+$/g, '');
    if (words !== '') blocks.push({ kind: 'paragraph', spans: spansOf(words) });
    paragraph = [];
  };
  const endCode = (isOpen: boolean) => {
    if (!fence) return;
    blocks.push({ kind: 'code', language: fence.language, text: fence.lines.join('\n'), isOpen });
    fence = undefined;
  };
  for (const line of text.split('\n')) {
    const [, mark, rest = ''] = FENCE.exec(line) ?? [];
    if (fence) {
      const ends = mark?.startsWith(fence.mark) === true && rest.trim() === '';
      if (ends) endCode(false);
      else fence.lines.push(line);
    } else if (mark !== undefined) {
      endParagraph();
      fence = { mark, language: rest.trim().split(/\s/)[0] ?? '', lines: [] };
    } else {
      paragraph.push(line);
    }
  }
  endParagraph();
  endCode(true);
  return blocks;
}

const SPAN = /`([^`\n]+)`|\*\*(\S|\S[^*\n]*\S)\*\*/g;

function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  let from = 0;
  for (const match of text.matchAll(SPAN)) {
    if (match.index > from) spans.push({ kind: 'text', text: text.slice(from, match.index) });
    const [whole, code, bold] = match;
    spans.push(code === undefined ? { kind: 'bold', text: bold ?? '' } : { kind: 'code', text: code });
    from = match.index + whole.length;
  }
  if (from < text.length) spans.push({ kind: 'text', text: text.slice(from) });
  return spans;
}
