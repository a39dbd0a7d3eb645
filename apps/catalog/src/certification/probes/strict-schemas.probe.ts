import { surestChoice } from './chosen-tools';
import { choiceField, functionOf, problemOfCalls } from './functions';
import { askBothWays, judgeReplies } from './judge-replies';
import type { Observed } from './judge-replies';
import type { Probe, ProbeTerms, Verdict } from './probe';
import { ROOM_TO_ANSWER, userSays } from './questions';

/** Nested, with an enumeration, a union and nothing besides what it names: as OpenAI's strict functions have to be. */
const BOOK_TABLE = functionOf(
  'book_table',
  'Books a table at a restaurant.',
  {
    type: 'object',
    properties: {
      restaurant: { type: 'string' },
      seating: { type: 'string', enum: ['indoors', 'outdoors', 'bar'] },
      guests: {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: { type: 'string' }, vegetarian: { type: 'boolean' } },
          required: ['name', 'vegetarian'],
          additionalProperties: false,
        },
      },
      contact: {
        type: 'object',
        properties: { email: { type: ['string', 'null'] }, floor: { type: 'integer' } },
        required: ['email', 'floor'],
        additionalProperties: false,
      },
    },
    required: ['restaurant', 'seating', 'guests', 'contact'],
    additionalProperties: false,
  },
  { strict: true },
);

const PROMPT =
  'Book a table outdoors at the restaurant Luna for Ann, who is vegetarian, and Bob, who is not. The contact is ' +
  'ann@example.com, floor 2. Do it by calling book_table.';

/** A strict function: the arguments have to match its schema to the letter. */
export const strictSchemas: Probe = {
  async run(examination) {
    const choice = surestChoice((name) => examination.figuresOf(name) !== undefined) ?? 'auto';
    const body = userSays(PROMPT, {
      tools: [BOOK_TABLE.tool],
      tool_choice: choiceField(choice, BOOK_TABLE.name),
    });
    const observed = await askBothWays(examination, { body, maxTokens: ROOM_TO_ANSWER });
    return judgeStrictSchemas(observed, examination.terms);
  },
};

export function judgeStrictSchemas(observed: readonly Observed[], terms: ProbeTerms): Verdict {
  const asked = 'Asked to call a strict function with a nested schema';
  return judgeReplies(asked, observed, terms, (reply) => problemOfCalls(reply, [BOOK_TABLE]));
}
