import { isJsonObject } from '@svc/validation';
import { canonicalJson } from './canonical-json';
import type {
  EngineEvent,
  EngineRequest,
  FinishReason,
  Generation,
  JsonObject,
  Usage,
} from './engine-request';
import { readPrompt } from './prompt-reading';
import type { PromptReading } from './prompt-reading';
import { writeProse } from './prose';
import { writeDocument } from './schema-document';
import { SeededRandom } from './seeded-random';
import { cutAtStop } from './stop-sequences';
import { countTokens, tokenize } from './tokenizer';
import { answerFromTools } from './tool-answer';
import { selectTools } from './tool-selection';
import type { PlannedCall } from './tool-selection';
import { WordSupply } from './word-supply';

/** What the demo engine calls itself in `system_fingerprint`. */
export const DEMO_FINGERPRINT = 'demo-engine';

/** More tokens than this are never produced, whatever `max_tokens` says. */
const MAX_OUTPUT_TOKENS = 65_536;
/** A chat template's tokens around each message, and before the answer. */
const TOKENS_A_MESSAGE = 4;
const TOKENS_OF_ANSWER_START = 3;

/**
 * Answers a request without a model: deterministically, from templates and the prompt's own words. A larger
 * `max_tokens` or another `stop` changes where the answer ends, not what it says.
 * @throws UnsupportedSchemaError for a tool or response format whose schema the engine cannot satisfy
 */
export function generate(request: EngineRequest): Generation {
  const random = new SeededRandom(seedOf(request));
  const question = request.messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const reading = readPrompt(question);
  const calls = selectTools(request, reading);
  const maxTokens = Math.min(request.maxTokens ?? MAX_OUTPUT_TOKENS, MAX_OUTPUT_TOKENS);
  const answer =
    calls.length > 0
      ? toolCallEvents(calls, reading, random)
      : textEvents(writeAnswer(request, reading, random), request.stop, maxTokens);
  const events = answer.events.slice(0, maxTokens);
  const finishReason: FinishReason = events.length < answer.events.length ? 'length' : answer.finishReason;
  return { events, finishReason, usage: usageOf(request, events) };
}

interface Answer {
  readonly events: readonly EngineEvent[];
  readonly finishReason: FinishReason;
}

function seedOf({ model, messages, tools, toolChoice, responseFormat, sampling }: EngineRequest): string {
  return canonicalJson({ model, messages, tools, toolChoice, responseFormat, sampling });
}

function writeAnswer(request: EngineRequest, reading: PromptReading, random: SeededRandom): string {
  const { responseFormat, messages } = request;
  const words = new WordSupply(reading, random);
  if (responseFormat.type === 'json_schema')
    return JSON.stringify(writeDocument(responseFormat.schema, words));
  const text = answerFromTools(messages, reading.text) ?? writeProse(reading, random);
  if (responseFormat.type === 'text') return text;
  return JSON.stringify({ simulated: true, answer: text, topics: reading.keywords.slice(0, 5) });
}

function textEvents(text: string, stops: readonly string[], maxTokens: number): Answer {
  const tokens = tokenize(text);
  // A stop sequence counts only within what was produced: past `max_tokens` it was never reached.
  const produced = tokens.slice(0, maxTokens).join('');
  const kept = cutAtStop(produced, stops);
  const stopped = kept.length < produced.length;
  return {
    events: (stopped ? tokenize(kept) : tokens).map((token) => ({ kind: 'text', text: token })),
    finishReason: 'stop',
  };
}

function toolCallEvents(calls: readonly PlannedCall[], reading: PromptReading, random: SeededRandom): Answer {
  const written = calls.map(({ tool, focus }) => {
    const words = new WordSupply(reading, random, focus);
    return {
      name: tool.name,
      document: JSON.stringify(writeDocument(argumentSchema(tool.parameters), words)),
    };
  });
  const isNew = ({ name, document }: { name: string; document: string }, at: number) =>
    written.findIndex((other) => other.name === name && other.document === document) === at;
  const events = written
    .filter(isNew)
    .flatMap(({ name, document }, index): EngineEvent[] => [
      { kind: 'tool-call', index, id: `call_${random.hex(24)}`, name },
      ...tokenize(document).map((fragment): EngineEvent => ({ kind: 'arguments', index, fragment })),
    ]);
  return { events, finishReason: 'tool_calls' };
}

/** Arguments are an object always, also when a tool declares none. */
function argumentSchema(parameters: EngineRequest['tools'][number]['parameters']): JsonObject {
  if (!isJsonObject(parameters)) return { type: 'object' };
  return 'type' in parameters || '$ref' in parameters ? parameters : { ...parameters, type: 'object' };
}

/**
 * Counts honestly, by the engine's tokenizer: the prompt is every message's text and calls, the tools and the
 * response format as JSON, and a chat template's borders; the completion is what was produced, where the
 * start of a tool call is one token.
 */
function usageOf(request: EngineRequest, events: readonly EngineEvent[]): Usage {
  let promptTokens = TOKENS_OF_ANSWER_START;
  for (const { content, name, toolCalls } of request.messages) {
    promptTokens += TOKENS_A_MESSAGE + countTokens(content) + countTokens(name ?? '');
    for (const call of toolCalls ?? []) promptTokens += countTokens(call.name) + countTokens(call.arguments);
  }
  if (request.tools.length > 0) promptTokens += countTokens(canonicalJson(request.tools));
  if (request.responseFormat.type === 'json_schema')
    promptTokens += countTokens(canonicalJson(request.responseFormat.schema));
  return { promptTokens, completionTokens: events.length };
}
