import type { ProbeObservation, ProbeReply } from '@svc/contracts';
import type { Draw } from './draw';
import { failedFor } from './failed-for';
import { CITY_FUNCTIONS, GET_LOCAL_TIME, GET_WEATHER, choiceField, problemOfCalls } from './functions';
import type { CityFunction, OfferedFunction, ToolChoice } from './functions';
import { askBothWays, judgeReplies } from './judge-replies';
import type { Observed } from './judge-replies';
import type { Probe, ProbeTerms, Verdict } from './probe';
import { passed } from './probe';
import { ROOM_TO_ANSWER, userSays } from './questions';
import { whatCame } from './what-came';

interface ChoiceCase {
  readonly prompt: string;
  readonly offered: readonly OfferedFunction[];
  /** The function that must be called; none with `none`. */
  readonly wanted?: OfferedFunction;
}

const CITIES = [
  'Paris',
  'London',
  'Tokyo',
  'Madrid',
  'Cairo',
  'Oslo',
  'Lima',
  'Rome',
  'Vienna',
  'Boston',
  'Delhi',
];

/** With `required` and a function's name the prompt asks for no call: it is the field that has to be obeyed. */
const CASES: Readonly<
  Record<ToolChoice, (city: string, one: CityFunction, other: CityFunction) => ChoiceCase>
> = {
  auto: (city, one, other) => ({
    prompt: `What is ${one.topic} ${city} now? Find out by calling ${one.name}.`,
    offered: [one, other],
    wanted: one,
  }),
  none: (city, one) => ({
    prompt: `What is ${one.topic} ${city} now? Reply with exactly "I cannot know" and nothing else.`,
    offered: [one],
  }),
  required: (city, one) => ({ prompt: `Good morning from ${city}!`, offered: [one], wanted: one }),
  function: (city, one, other) => ({
    prompt: `What is ${one.topic} ${city} now?`,
    offered: [one, other],
    wanted: other,
  }),
};

/** Tools under one `tool_choice`: what it demands has to come, in one piece and streamed. */
function toolChoiceProbe(choice: ToolChoice): Probe {
  return {
    async run(examination) {
      const { prompt, offered, wanted } = drawCase(choice, examination.draw);
      const body = userSays(prompt, {
        tools: offered.map(({ tool }) => tool),
        tool_choice: choiceField(choice, wanted?.name ?? ''),
      });
      const observed = await askBothWays(examination, { body, maxTokens: ROOM_TO_ANSWER });
      const verdict = judgeToolChoice(choice, observed, examination.terms, wanted);
      if (choice !== 'auto' || !verdict.passed) return verdict;
      const single = await examination.ask({
        body: { ...body, parallel_tool_calls: false },
        maxTokens: ROOM_TO_ANSWER,
        stream: false,
      });
      return noteSingleCall(verdict, single, examination.terms);
    },
  };
}

function drawCase(choice: ToolChoice, draw: Draw): ChoiceCase {
  const [city = 'Paris'] = draw.of(CITIES, 1);
  const [one = GET_WEATHER, other = GET_LOCAL_TIME] = draw.of(CITY_FUNCTIONS, 2);
  return CASES[choice](city, one, other);
}

/** @param wanted the function that must be called; none may with `none` */
export function judgeToolChoice(
  choice: ToolChoice,
  observed: readonly Observed[],
  terms: ProbeTerms,
  wanted: OfferedFunction | undefined,
): Verdict {
  const value = choice === 'function' ? `naming ${wanted?.name}` : `"${choice}"`;
  const asked = `Asked with tools and tool_choice ${value}`;
  return judgeReplies(asked, observed, terms, (reply) =>
    wanted ? problemOfCalls(reply, [wanted]) : problemWithoutCall(reply, terms),
  );
}

/** Clients may send `parallel_tool_calls: false`: worth knowing where a server refuses it, though nothing is promised of the field. */
export function noteSingleCall(verdict: Verdict, single: ProbeObservation, terms: ProbeTerms): Verdict {
  if (!failedFor(single, 'request_refused')) return verdict;
  return passed(
    { ...verdict.figures, refusesParallelFalse: 1 },
    `Asked the same with parallel_tool_calls false, ${whatCame(single, terms)}: requests that carry the field will fail here.`,
  );
}

function problemWithoutCall(
  { toolCalls, content, finishReason }: ProbeReply,
  { reasoning }: ProbeTerms,
): string | undefined {
  if (toolCalls.length > 0) return 'it answered with a tool call all the same';
  if (reasoning && finishReason === 'length') return undefined;
  return (content ?? '').trim() === '' ? 'its reply was empty' : undefined;
}

export const toolAuto = toolChoiceProbe('auto');
export const toolNone = toolChoiceProbe('none');
export const toolRequired = toolChoiceProbe('required');
export const toolFunction = toolChoiceProbe('function');
