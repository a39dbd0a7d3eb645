import type { ProbeReply } from '@svc/contracts';
import { GET_LOCAL_TIME, GET_WEATHER, choiceField, problemOfCalls } from './functions';
import type { OfferedFunction, ToolChoice } from './functions';
import { askBothWays, judgeReplies } from './judge-replies';
import type { Observed } from './judge-replies';
import type { Probe, ProbeTerms, Verdict } from './probe';
import { ROOM_TO_ANSWER, userSays } from './questions';

interface ChoiceCase {
  readonly prompt: string;
  readonly offered: readonly OfferedFunction[];
  /** The function that must be called; none with `none`. */
  readonly wanted?: OfferedFunction;
}

/** With `required` and a function's name the prompt asks for no call: it is the field that has to be obeyed. */
const CASES: Readonly<Record<ToolChoice, ChoiceCase>> = {
  auto: {
    prompt: 'What is the weather in Paris now? Find out by calling get_weather.',
    offered: [GET_WEATHER, GET_LOCAL_TIME],
    wanted: GET_WEATHER,
  },
  none: {
    prompt: 'What is the weather in Paris now? Reply with exactly "I cannot know" and nothing else.',
    offered: [GET_WEATHER],
  },
  required: { prompt: 'Good morning from Paris!', offered: [GET_WEATHER], wanted: GET_WEATHER },
  function: {
    prompt: 'What is the weather in Paris now?',
    offered: [GET_WEATHER, GET_LOCAL_TIME],
    wanted: GET_LOCAL_TIME,
  },
};

/** Tools under one `tool_choice`: what it demands has to come, in one piece and streamed. */
function toolChoiceProbe(choice: ToolChoice): Probe {
  const { prompt, offered, wanted } = CASES[choice];
  const body = userSays(prompt, {
    tools: offered.map(({ tool }) => tool),
    tool_choice: choiceField(choice, wanted?.name ?? ''),
  });
  return {
    name: `tool_${choice}`,
    async run(examination) {
      const observed = await askBothWays(examination, { body, maxTokens: ROOM_TO_ANSWER });
      return judgeToolChoice(choice, observed, examination.terms);
    },
  };
}

export function judgeToolChoice(
  choice: ToolChoice,
  observed: readonly Observed[],
  terms: ProbeTerms,
): Verdict {
  const { wanted } = CASES[choice];
  const value = choice === 'function' ? `naming ${wanted?.name}` : `"${choice}"`;
  const asked = `Asked with tools and tool_choice ${value}`;
  return judgeReplies(asked, observed, terms, (reply) =>
    wanted ? problemOfCalls(reply, [wanted]) : problemWithoutCall(reply),
  );
}

function problemWithoutCall({ toolCalls, content }: ProbeReply): string | undefined {
  if (toolCalls.length > 0) return 'it answered with a tool call all the same';
  return (content ?? '').trim() === '' ? 'its reply was empty' : undefined;
}

export const toolAuto = toolChoiceProbe('auto');
export const toolNone = toolChoiceProbe('none');
export const toolRequired = toolChoiceProbe('required');
export const toolFunction = toolChoiceProbe('function');
