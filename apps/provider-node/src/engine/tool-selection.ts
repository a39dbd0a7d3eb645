import type { EngineRequest, EngineTool } from './engine-request';
import { isStopWord, stemOf, wordsOf } from './prompt-reading';
import type { PromptReading } from './prompt-reading';

/** A call the engine decided on; `focus` is the one of several named things that it is about. */
export interface PlannedCall {
  readonly tool: EngineTool;
  readonly focus?: string;
}

const MAX_CALLS = 8;
/** Words that half of all tools have in their name or description, so that they tell nothing. */
const WEAK_STEMS = new Set(
  (
    'get set list find fetch create make run call use add update delete search look lookup read write open send tool ' +
    'function api data info information value item object result return current given user provide query string ' +
    'number name show check available specific based new request perform the'
  )
    .split(' ')
    .map(stemOf),
);
const REFUSES_TOOLS = /\b(?:without|don[’']?t|do not|never|no)\b[^.!?\n]{0,24}\b(?:tools?|functions?)\b/i;

/**
 * Which tools to call for the last user message, in order; none means a text answer.
 * With `auto`, a tool is called when the message names it or its words plainly match, and never right
 * after a tool's result. Where the message names several things, the tool is called once for each.
 */
export function selectTools(request: EngineRequest, reading: PromptReading): PlannedCall[] {
  const { tools, toolChoice } = request;
  if (tools.length === 0 || toolChoice === 'none') return [];
  if (typeof toolChoice === 'object') {
    const named = tools.find((tool) => tool.name === toolChoice.name);
    return named ? [{ tool: named }] : [];
  }
  if (toolChoice === 'required') {
    const wanted = matchingTools(tools, reading);
    return callsOf(wanted.length > 0 ? wanted : tools.slice(0, 1), request, reading);
  }
  if (request.messages.at(-1)?.role !== 'user' || REFUSES_TOOLS.test(reading.text)) return [];
  return callsOf(matchingTools(tools, reading), request, reading);
}

function callsOf(
  tools: readonly EngineTool[],
  request: EngineRequest,
  reading: PromptReading,
): PlannedCall[] {
  const [only] = tools;
  const severalThings = tools.length === 1 && reading.names.length > 1 && /,|\band\b/.test(reading.text);
  const calls =
    only && severalThings
      ? reading.names.map((focus) => ({ tool: only, focus }))
      : tools.map((tool) => ({ tool }));
  return calls.slice(0, request.parallelToolCalls ? MAX_CALLS : 1);
}

/** The tools named in the message, or else those whose words match it, in the order of the request. */
function matchingTools(tools: readonly EngineTool[], reading: PromptReading): EngineTool[] {
  const text = reading.text.toLowerCase();
  const mentioned = tools.filter(
    ({ name }) =>
      /[_-]|[a-z][A-Z]/.test(name) && new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`).test(text),
  );
  return mentioned.length > 0 ? mentioned : tools.filter((tool) => plainlyMatches(tool, reading));
}

function escaped(name: string): string {
  return name.toLowerCase().replace(/[^\w]/g, '\\$&');
}

/** A telling word of the name, every word of a name that has no telling one, or two words of the description. */
function plainlyMatches(tool: EngineTool, { stems }: PromptReading): boolean {
  const nameStems = wordsOf(tool.name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ')).map(stemOf);
  const telling = nameStems.filter((stem) => !WEAK_STEMS.has(stem) && !isStopWord(stem));
  if (telling.some((stem) => stems.has(stem))) return true;
  if (telling.length === 0 && nameStems.length > 0 && nameStems.every((stem) => stems.has(stem))) return true;
  const described = new Set(
    wordsOf((tool.description ?? '').slice(0, 1_000))
      .filter((word) => !isStopWord(word.toLowerCase()))
      .map(stemOf),
  );
  return (
    [...described].filter((stem) => stem.length > 2 && !WEAK_STEMS.has(stem) && stems.has(stem)).length >= 2
  );
}
