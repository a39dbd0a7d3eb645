import type { Answer, ChatRequest, MadeCall, OfferedTool } from './chat-request';
import { questionOf, textOf } from './chat-request';
import { documentOf } from './schema-document';
import { tokensOf } from './tokens';

/** What a chat template puts around each message, and before the answer. */
const TOKENS_PER_MESSAGE = 4;
const TOKENS_OF_START = 3;
const ESSAY_WORDS = 400;
const WORDS = 'a test model writes plain words about what it was asked so that there is enough to read'.split(
  ' ',
);

/** Answers as a model that does what it is asked: calls, formats, `stop`, `max_tokens`, and counts what it wrote. */
export function answerHonestly(request: ChatRequest): Answer {
  const calls = callsFor(request);
  return calls.length > 0 ? answerWithCalls(request, calls) : answerWithText(request, textFor(request));
}

/** The text as an answer, cut at `max_tokens` and before the first stop sequence, honestly counted. */
export function answerWithText(request: ChatRequest, text: string): Answer {
  const most = request.max_tokens ?? Infinity;
  const all = tokensOf(text);
  const produced = all.slice(0, most);
  const whole = produced.join('');
  const ends = stopsOf(request).map((stop) => whole.indexOf(stop));
  const end = Math.min(...ends.filter((at) => at >= 0), whole.length);
  const tokens = end < whole.length ? tokensOf(whole.slice(0, end)) : produced;
  const finishReason = end === whole.length && all.length > produced.length ? 'length' : 'stop';
  return { tokens, calls: [], finishReason, usage: usageFor(request, tokens.length) };
}

/** The calls as an answer, honestly counted; one that `max_tokens` cuts is left as far as it came. */
function answerWithCalls(request: ChatRequest, calls: MadeCall[]): Answer {
  let left = request.max_tokens ?? Infinity;
  let written = 0;
  const made: MadeCall[] = [];
  let cut = false;
  for (const { name, arguments: text } of calls) {
    const tokens = tokensOf(text);
    // The name is a token too.
    const kept = tokens.slice(0, Math.max(left - 1, 0));
    cut ||= kept.length < tokens.length;
    if (left > 0) made.push({ name, arguments: kept.join('') });
    left -= kept.length + 1;
    written += kept.length + 1;
  }
  const finishReason = cut ? 'length' : 'tool_calls';
  return { tokens: [], calls: made, finishReason, usage: usageFor(request, written) };
}

function stopsOf({ stop = [] }: ChatRequest): string[] {
  return typeof stop === 'string' ? [stop] : stop;
}

/** The honest count of a prompt: messages, tools and format. */
function promptTokensOf({ messages, tools, response_format: format }: ChatRequest): number {
  let tokens = TOKENS_OF_START;
  for (const message of messages) {
    tokens += TOKENS_PER_MESSAGE + tokensOf(textOf(message)).length;
    for (const call of message.tool_calls ?? []) tokens += tokensOf(call.function.arguments).length + 1;
  }
  if (tools) tokens += tokensOf(JSON.stringify(tools)).length;
  if (format?.json_schema) tokens += tokensOf(JSON.stringify(format.json_schema)).length;
  return tokens;
}

function usageFor(request: ChatRequest, completionTokens: number): Answer['usage'] {
  return { promptTokens: promptTokensOf(request), completionTokens };
}

function textFor(request: ChatRequest): string {
  const question = questionOf(request);
  const { messages, response_format: format } = request;
  if (format?.type === 'json_schema') {
    return JSON.stringify(documentOf(format.json_schema?.schema ?? {}, { subject: subjectOf(question) }));
  }
  if (format?.type === 'json_object') return JSON.stringify({ answer: subjectOf(question) });
  const last = messages.at(-1);
  if (last?.role === 'tool') return `The tool says: ${textOf(last)}`;
  const counted = /count[^\d]*(\d+)[^\d]+(\d+)/i.exec(question);
  if (counted) return countFrom(Number(counted[1]), Number(counted[2]));
  const exact = /(?:say|reply|answer|repeat|write)[^"\n]{0,60}"([^"]+)"/i.exec(question)?.[1];
  return exact ?? essay(Number(/(\d+) words/i.exec(question)?.[1] ?? ESSAY_WORDS));
}

function countFrom(first: number, last: number): string {
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, offset) => first + offset).join(', ');
}

function essay(words: number): string {
  return Array.from({ length: words }, (_, at) => WORDS[at % WORDS.length]).join(' ');
}

function callsFor(request: ChatRequest): MadeCall[] {
  const { tools = [], tool_choice: choice = 'auto', messages } = request;
  const question = questionOf(request);
  if (tools.length === 0 || choice === 'none') return [];
  if (typeof choice === 'object') {
    return tools
      .filter(({ function: { name } }) => name === choice.function.name)
      .map((tool) => callOf(tool, question));
  }
  if (choice === 'auto' && messages.at(-1)?.role !== 'user') return [];
  const spokenOf = tools.filter((tool) => isSpokenOf(tool, question));
  const wanted = spokenOf.length > 0 || choice === 'auto' ? spokenOf : tools.slice(0, 1);
  const [only] = wanted;
  const places = wanted.length === 1 ? placesIn(question) : [];
  const calls =
    only && places.length > 1
      ? places.map((place) => callOf(only, place))
      : wanted.map((tool) => callOf(tool, question));
  return request.parallel_tool_calls === false ? calls.slice(0, 1) : calls;
}

/** Each telling word of the name stands in the question, or the name itself. */
function isSpokenOf({ function: { name } }: OfferedTool, question: string): boolean {
  const asked = question.toLowerCase();
  const words = name.toLowerCase().split(/[_-]/);
  const telling = words.filter((word) => !['get', 'find', 'make', 'set', 'tool'].includes(word));
  return (
    asked.includes(name.toLowerCase()) ||
    (telling.length > 0 && telling.every((word) => asked.includes(word)))
  );
}

/** Names in a list: "Paris, Rome and Oslo". */
function placesIn(question: string): string[] {
  const names = question.match(/(?<=[a-z,] )\p{Lu}\p{L}+/gu) ?? [];
  return [...new Set(names)];
}

function callOf({ function: { name, parameters = {} } }: OfferedTool, about: string): MadeCall {
  return { name, arguments: JSON.stringify(documentOf(parameters, { subject: subjectOf(about) })) };
}

/** What a text is about: what stands in quotation marks, a name, or its beginning. */
function subjectOf(text: string): string {
  return /"([^"]+)"/.exec(text)?.[1] ?? placesIn(text)[0] ?? text.slice(0, 80);
}
