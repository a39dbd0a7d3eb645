import type { PromptReading } from './prompt-reading';
import type { SeededRandom } from './seeded-random';

/** Every text of the engine begins with this, so that nobody takes it for a model's. */
export const SIMULATED = 'Simulated reply:';

const MAX_WORDS = 4_000;
const MAX_COUNT = 1_000;
const SENTENCES_A_PARAGRAPH = 5;

/** Sentences about the prompt's own words; `{a}` and `{b}` are filled in. */
const SENTENCES = [
  'The first thing to settle is what {a} means here, because the rest depends on it.',
  'It helps to look at {a} and {b} together rather than one after the other.',
  'A small example of {a} usually shows more than a long description does.',
  'Where {a} is unclear, it is worth asking before going further.',
  'What speaks for {a} is that it can be checked; what speaks against it is the time it takes.',
  'In practice {b} sets the limits within which {a} has to work.',
  'A good test is to leave {b} out and to see whether {a} still makes sense.',
  'People often begin with {a} and notice only later how much {b} matters.',
  'One step at a time is enough: {a} first, then {b}.',
  'The usual mistake is to treat {a} as settled when it is still open.',
  'If two answers about {a} disagree, the one with the better evidence should win.',
  'For {b}, a short list of what is known and what is not is a sound beginning.',
  'Compared with {b}, {a} is the easier part to change later on.',
  'It is fair to say that {a} deserves more attention than it gets.',
  'Written down plainly, the link between {a} and {b} is easier to see.',
  'None of this is final; {a} can be looked at again when more is known.',
];

const OPENINGS: readonly (readonly [RegExp, string])[] = [
  [/^\W*how\b/i, 'How it is done depends on {a}, so here is a way to go about it.'],
  [/^\W*why\b/i, 'There is more than one reason, and most of them lead back to {a}.'],
  [/^\W*(?:what|who|where|when|which)\b/i, 'The short answer turns on {a}.'],
  [/\b(?:write|draft|compose|story|poem|essay)\b/i, 'Here is a text on {a}, as asked.'],
  [/\b(?:explain|describe|summari[sz]e)\b/i, 'Put simply, this is about {a}.'],
  [/\b(?:hello|hi|hey)\b/i, 'Hello! Good to hear from you.'],
];

/**
 * A text that answers the prompt in form: it echoes, counts and calculates where it is asked to, and
 * otherwise writes a few sentences about the prompt's own words.
 */
export function writeProse(reading: PromptReading, random: SeededRandom): string {
  const exact = echoed(reading.text) ?? counted(reading.text) ?? calculated(reading.text);
  return `${SIMULATED} ${exact ?? essay(reading, random)}`;
}

function echoed(text: string): string | undefined {
  const match =
    /\b(?:reply|respond|answer|say|repeat|print|output)\b[^"“\n]{0,40}["“]([^"”\n]{1,500})["”]/i.exec(text) ??
    /\b(?:reply|respond|answer|say|repeat)(?: back)?(?: with)?(?: only| exactly| just)+(?: the words?)?:? ([^\n]{1,500}?)\.?$/i.exec(
      text,
    );
  return match?.[1];
}

function counted(text: string): string | undefined {
  const match =
    /\bcount(?:ing)?\b[^\d\n]{0,30}?(?:(\d{1,6})[^\d\n]{1,20})?\b(?:to|through|until)\s+(\d{1,6})\b/i.exec(
      text,
    );
  if (!match) return undefined;
  const first = Number(match[1] ?? 1);
  const last = Math.min(Number(match[2]), first + MAX_COUNT - 1);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset).join(', ');
}

function calculated(text: string): string | undefined {
  const match = /(-?\d{1,12}(?:\.\d{1,6})?)\s*([+\-*/×÷x−])\s*(\d{1,12}(?:\.\d{1,6})?)\s*(?:=\s*)?\??$/.exec(
    text,
  );
  if (!match) return undefined;
  const [, left = '', operator = '', right = ''] = match;
  const result = calculate(Number(left), operator, Number(right));
  return Number.isFinite(result)
    ? `${left} ${operator} ${right} = ${Number(result.toPrecision(12))}`
    : undefined;
}

function calculate(left: number, operator: string, right: number): number {
  if (operator === '+') return left + right;
  if (operator === '-' || operator === '−') return left - right;
  return operator === '/' || operator === '÷' ? left / right : left * right;
}

function essay(reading: PromptReading, random: SeededRandom): string {
  const topics = reading.keywords.length > 0 ? reading.keywords : ['your message'];
  const [first = 'your message'] = topics;
  const opening = OPENINGS.find(([asks]) => asks.test(reading.text))?.[1] ?? 'This is about {a}.';
  const sentences = [`You wrote “${excerpt(reading.text)}”.`, opening.replace('{a}', first)];
  const wanted = wantedWords(reading.text, random);
  let written = sentences.join(' ').split(' ').length;
  let deck: string[] = [];
  while (written < wanted) {
    if (deck.length === 0) deck = random.shuffled(SENTENCES);
    const a = random.pick(topics);
    const b = random.pick(
      topics.filter((topic) => topic !== a).concat(topics.length > 1 ? [] : ['the rest']),
    );
    const sentence = capitalised((deck.pop() ?? '').replaceAll('{a}', a).replaceAll('{b}', b));
    sentences.push(sentence);
    written += sentence.split(' ').length;
  }
  sentences.push('A demo engine wrote this, not a language model.');
  return paragraphs(sentences);
}

/** How many words were asked for, or a usual length; at most `MAX_WORDS`. */
function wantedWords(text: string, random: SeededRandom): number {
  const asked = /\b(\d{1,5})[ -]words?\b/i.exec(text)?.[1];
  if (asked !== undefined) return Math.min(Number(asked), MAX_WORDS);
  if (/\b(?:long|detailed|in detail|thorough|essay|story|everything)\b/i.test(text))
    return random.integer(400, 600);
  return /\b(?:short|brief|briefly|one sentence)\b/i.test(text) ? 25 : random.integer(60, 120);
}

/** The beginning of a text on one line. */
export function excerpt(text: string, length = 120): string {
  const line = [...text.replace(/\s+/g, ' ').trim()];
  return line.length > length ? `${line.slice(0, length).join('')}…` : line.join('');
}

function capitalised(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

function paragraphs(sentences: readonly string[]): string {
  const blocks: string[] = [];
  for (let at = 0; at < sentences.length; at += SENTENCES_A_PARAGRAPH) {
    blocks.push(sentences.slice(at, at + SENTENCES_A_PARAGRAPH).join(' '));
  }
  return blocks.join('\n\n');
}
