import type { FailureReason, ProbeObservation } from '@svc/contracts';
import { surestChoice } from './chosen-tools';
import { failedFor } from './failed-for';
import type { ToolChoice } from './functions';
import { argumentsOf, choiceField, toolOf } from './functions';
import type { Probe, ProbeTerms, Question, Verdict } from './probe';
import { passingFaultOf } from './passing-fault';
import { failed, passed } from './probe';
import { textOfLength, userSays } from './questions';
import { whatCame } from './what-came';

const SMALLEST_BYTES = 256;
/** `{"text":""}` around the text. */
const FRAME_BYTES = 11;
/** English text has four bytes a token at least; this many are taken to be safe. */
const BYTES_PER_TOKEN = 3;
const TOKENS_AROUND = 512;
/** A copy that is so nearly whole is one; what it had is what counts. */
const LEAST_PART = 0.9;
/** When one document took more than this part of the time there is, those after it, longer still, are not tried. */
const PART_OF_BUDGET = 1 / 3;
/** Two sizes take no longer than the larger of them alone. */
const AT_ONCE = 2;
/** Larger documents take longer: that is what is measured. */
const SLOWNESS: ReadonlySet<FailureReason> = new Set(['first_token_timeout', 'chunk_timeout']);

/** Argument documents of 256, 512, 1,024 … bytes, until one does not hold or there is no time left. */
export const argumentBytes: Probe = {
  async run(examination) {
    const { terms } = examination;
    const choice = surestChoice((name) => examination.figuresOf(name) !== undefined) ?? 'auto';
    const sizes = sizesFor(terms);
    const observations: SizedObservation[] = [];
    for (let at = 0; at < sizes.length; at += AT_ONCE) {
      const asked = sizes.slice(at, at + AT_ONCE).map(async (bytes) => ({
        bytes,
        observation: await examination.ask(documentQuestion(bytes, choice, terms)),
      }));
      observations.push(...(await Promise.all(asked)));
      if (!maySayMore(observations, terms)) break;
    }
    return judgeArgumentBytes(observations, terms);
  },
};

/** Whether larger ones are worth trying: all have held, and in good time. */
function maySayMore(observations: readonly SizedObservation[], { argumentBudgetMs }: ProbeTerms): boolean {
  const longestMs = argumentBudgetMs * PART_OF_BUDGET;
  return observations.every((sized) => heldBytes(sized) > 0 && sized.observation.totalMs <= longestMs);
}

/** What came of asking for a document of `bytes` bytes. */
interface SizedObservation {
  readonly bytes: number;
  readonly observation: ProbeObservation;
}

/** The sizes to try: prompt and answer hold the document both, and have to fit the context. */
export function sizesFor({ maxArgumentBytes, contextLimit, maxOutputTokens }: ProbeTerms): number[] {
  const tokens = Math.min(maxOutputTokens - TOKENS_AROUND / 2, (contextLimit - TOKENS_AROUND) / 2);
  const most = Math.min(maxArgumentBytes, tokens * BYTES_PER_TOKEN);
  const sizes: number[] = [];
  for (let bytes = SMALLEST_BYTES; bytes <= most; bytes *= 2) sizes.push(bytes);
  return sizes;
}

/** The text to copy is given, and its length in the schema as well: whichever a server goes by. */
function documentQuestion(bytes: number, choice: ToolChoice, terms: ProbeTerms): Question {
  const length = bytes - FRAME_BYTES;
  const saveNote = toolOf('save_note', 'Saves a note, word for word.', {
    type: 'object',
    properties: { text: { type: 'string', minLength: length, maxLength: length } },
    required: ['text'],
    additionalProperties: false,
  });
  const prompt = `Call save_note with this text of ${length} characters, word for word and unabridged:\n\n${textOfLength(length)}`;
  return {
    body: userSays(prompt, { tools: [saveNote], tool_choice: choiceField(choice, 'save_note') }),
    maxTokens: Math.min(Math.ceil(bytes / 2) + TOKENS_AROUND / 2, terms.maxOutputTokens),
    stream: true,
  };
}

export function judgeArgumentBytes(observations: readonly SizedObservation[], terms: ProbeTerms): Verdict {
  const broken = observations.find((sized) => heldBytes(sized) === 0);
  const held = Math.max(
    0,
    ...observations.filter((sized) => !broken || sized.bytes < broken.bytes).map(heldBytes),
  );
  const last = broken ?? observations.at(-1);
  if (!last) return failed('The context is too small for any document.', { held });
  const { bytes, observation } = last;
  const figures = { held, tried: bytes, lastMs: Math.round(observation.totalMs) };
  if (!broken) return passed(figures);
  const got = observation.reply?.toolCalls[0]?.arguments;
  const came =
    got === undefined ? whatCame(observation, terms) : `its arguments had ${Buffer.byteLength(got)} bytes`;
  const message = `Asked for a tool call with arguments of ${bytes} bytes, ${came}.`;
  if (held === 0) return failed(message, figures, observation);
  const passing = failedFor(observation, SLOWNESS) ? undefined : passingFaultOf(observation);
  return { ...passed(figures, message), ...(passing && { passing }) };
}

/** @returns bytes of the document, at most what was asked for; 0 when it did not hold */
export function heldBytes({ bytes, observation: { reply } }: SizedObservation): number {
  const [call] = reply?.toolCalls ?? [];
  if (!call || argumentsOf(call) === undefined) return 0;
  const got = Buffer.byteLength(call.arguments);
  return got >= bytes * LEAST_PART ? Math.min(got, bytes) : 0;
}
