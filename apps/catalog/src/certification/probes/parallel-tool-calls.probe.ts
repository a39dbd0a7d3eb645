import { widestChoice } from './chosen-tools';
import { GET_WEATHER, choiceField, problemOfCalls } from './functions';
import { askBothWays, judgeReplies } from './judge-replies';
import type { Observed } from './judge-replies';
import type { Probe, ProbeTerms, Verdict } from './probe';
import { ROOM_TO_ANSWER, userSays } from './questions';

const PROMPT =
  'What is the weather in Paris, in London and in Tokyo now? Call get_weather once for each of the three cities, all at once.';
const LEAST_CALLS = 2;

/** Several calls in one reply. */
export const parallelToolCalls: Probe = {
  async run(examination) {
    const choice = widestChoice((name) => examination.figuresOf(name) !== undefined) ?? 'auto';
    const body = userSays(PROMPT, {
      tools: [GET_WEATHER.tool],
      tool_choice: choiceField(choice, GET_WEATHER.name),
      parallel_tool_calls: true,
    });
    const observed = await askBothWays(examination, { body, maxTokens: ROOM_TO_ANSWER });
    return judgeParallelCalls(observed, examination.terms);
  },
};

export function judgeParallelCalls(observed: readonly Observed[], terms: ProbeTerms): Verdict {
  const asked = 'Asked for several tool calls in one reply (parallel_tool_calls true)';
  return judgeReplies(asked, observed, terms, (reply) => problemOfCalls(reply, [GET_WEATHER], LEAST_CALLS));
}
