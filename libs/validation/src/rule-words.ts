import { NUMBER_RULES, numberWords } from './number-words';
import type { Rule } from './rule';
import { LIST_RULES, TEXT_RULES, listWords, textWords } from './size-words';

const KINDS: readonly { names: readonly string[]; wordsOf: (rules: Rule[]) => string }[] = [
  { names: NUMBER_RULES, wordsOf: numberWords },
  { names: TEXT_RULES, wordsOf: textWords },
  { names: LIST_RULES, wordsOf: listWords },
  { names: ['arrayUnique'], wordsOf: () => 'must not name one twice' },
  { names: ['isIn'], wordsOf: choiceWords },
  { names: ['isBoolean'], wordsOf: () => 'must be true or false' },
];

/**
 * What is said of a property that breaks one of its rules: all that the rules of one kind ask for, in one sentence, whichever was broken.
 * @returns by the rule's name; class-validator has words for those that are not there
 */
export function ruleWords(rules: Rule[]): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  for (const { names, wordsOf } of KINDS) {
    const own = rules.flatMap(({ name }) => (name !== undefined && names.includes(name) ? [name] : []));
    for (const name of own) words.set(name, wordsOf(rules));
  }
  return words;
}

function choiceWords(rules: Rule[]): string {
  const [choices = []] = (rules.find(({ name }) => name === 'isIn')?.constraints ?? []) as unknown[][];
  return choices.length === 1 ? `must be "${String(choices[0])}"` : `must be one of ${choices.join(', ')}`;
}
