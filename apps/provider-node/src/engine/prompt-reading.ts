/** What the engine sees in a message: enough to answer about it, far from understanding it. */
export interface PromptReading {
  /** The message, at most `MAX_READ` characters of it, trimmed. */
  readonly text: string;
  /** Words that carry meaning, as written, in order, once each. */
  readonly keywords: readonly string[];
  /** Capitalised names that do not begin a sentence: "Paris", "New York". */
  readonly names: readonly string[];
  /** What stands in quotation marks. */
  readonly quoted: readonly string[];
  readonly numbers: readonly number[];
  /** Stems of every word, for matching. */
  readonly stems: ReadonlySet<string>;
}

const MAX_READ = 8_000;
const MAX_KEYWORDS = 24;
const MAX_NAMES = 8;

const STOP_WORDS = new Set(
  (
    'a about all also am an and any are as ask at be been being but by call can could did do does doing done ' +
    'each else every few for from get give go got had has have he her here him his how i if in into is it its ' +
    'just know let like make many may me more most much must my need no not now of off ok on one only or other ' +
    'our out over please put say see shall she should show so some such tell than thank thanks that the their ' +
    'them then there these they this those to too two up us use using very want was we well were what when ' +
    'where which while who whom whose why will with without word words would write yes yet you your hello hi hey'
  ).split(' '),
);

/** Whether a word (lower case) says too little to match or to write about. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** The words of a text: runs of letters and digits. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu) ?? [];
}

/** A word without its commonest English endings, so that "searches" and "searching" meet "search". */
export function stemOf(word: string): string {
  const lower = word.toLowerCase().replace(/['’]s$/, '');
  if (lower.length <= 4) return lower.replace(/s$/, '');
  return lower.replace(/(?:ing|ed|es|s)$/, '').replace(/e$/, '');
}

function unique(items: readonly string[]): string[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = item.toLowerCase();
    return seen.has(key) ? false : seen.add(key);
  });
}

function namesIn(text: string): string[] {
  const names = text.matchAll(
    /(?<=[^\s.!?:"“'‘(][^\S\n])\p{Lu}[\p{L}\p{M}'’-]+(?: \p{Lu}[\p{L}\p{M}'’-]+)*/gu,
  );
  return [...names]
    .map(([name]) => name.replace(/['’]s$/, ''))
    .filter((name) => !isStopWord(name.toLowerCase()));
}

/** Reads a message. */
export function readPrompt(message: string): PromptReading {
  const text = message.slice(0, MAX_READ).trim();
  const words = wordsOf(text);
  const numbers = (text.match(/(?<![\w.])-?\d{1,15}(?:\.\d{1,6})?/g) ?? []).map(Number);
  return {
    text,
    keywords: unique(
      words.filter((word) => word.length > 1 && !isStopWord(word.toLowerCase()) && !/^\d+$/.test(word)),
    ).slice(0, MAX_KEYWORDS),
    names: unique(namesIn(text)).slice(0, MAX_NAMES),
    quoted: [...text.matchAll(/"([^"\n]{1,200})"|“([^”\n]{1,200})”|`([^`\n]{1,200})`/g)].map(
      (match) => match[1] ?? match[2] ?? match[3] ?? '',
    ),
    numbers,
    stems: new Set(words.map(stemOf)),
  };
}
