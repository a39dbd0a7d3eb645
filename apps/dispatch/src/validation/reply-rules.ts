import { isJsonObject } from '@svc/validation';
import type { Unchecked } from './provider-reply';

/** What the request allows a reply to hold; read from the body that the gateway validated. */
export interface ReplyRules {
  /** Functions that may be called, with the schema their arguments must meet (of strict ones). */
  functions: ReadonlyMap<string, object | undefined>;
  /** Those of them that require no parameter: an empty object is a call of theirs. */
  undemanding: ReadonlySet<string>;
  /** `tool_choice` asks for a call. */
  mustCall: boolean;
  /** More than one call is welcome. */
  parallelCalls: boolean;
  /** What the content must be. */
  format: 'text' | 'json_object' | 'json_schema';
  /** Of `json_schema`. */
  schema?: object;
  /** The client's own stop sequences may end the reply anywhere, at its beginning or in the middle of JSON too; no finish reason tells. */
  mayStop: boolean;
  /** The client has the model choose other words than it would by itself, so that what an honest server writes may be no JSON. */
  mayStray: boolean;
  /** The tokens at which `max_tokens`, or the end of the context, may cut it; undefined where what it wrote says nothing of how far it came. */
  limitTokens?: number;
  /**
   * The content must not be passed on before the reply is whole, because only then can it be said to be valid, and
   * another provider be asked unseen if it is not.
   */
  holdContent: boolean;
}

/** What servers take where none is given. */
const USUAL_TEMPERATURE = 1;

const NOTHING_ASKED: ReplyRules = {
  functions: new Map(),
  undemanding: new Set(),
  mustCall: false,
  parallelCalls: true,
  format: 'text',
  mayStop: false,
  mayStray: false,
  holdContent: false,
};

/** @param body a chat-completions body in OpenAI's shape, validated */
export function replyRulesOf(body: object): ReplyRules {
  const {
    tools,
    tool_choice: choice,
    parallel_tool_calls: parallel,
    response_format: format,
    stop,
  } = body as Unchecked;
  const mayStop = stop !== undefined;
  if (tools === undefined && format === undefined) return { ...NOTHING_ASKED, mayStop };
  const named = isJsonObject(choice) && isJsonObject(choice.function) ? choice.function.name : undefined;
  const functions = choice === 'none' ? new Map<string, undefined>() : functionsOf(tools, named);
  const mustCall = named !== undefined || choice === 'required';
  const type = isJsonObject(format) ? format.type : undefined;
  const structured = type === 'json_object' || type === 'json_schema';
  const schema =
    isJsonObject(format) && isJsonObject(format.json_schema) && isJsonObject(format.json_schema.schema)
      ? format.json_schema.schema
      : undefined;
  return {
    functions,
    undemanding: undemandingOf(tools),
    mustCall,
    parallelCalls: parallel !== false,
    format: structured ? type : 'text',
    schema,
    mayStop,
    mayStray: straysFrom(body as Unchecked),
    holdContent: mustCall || structured,
  };
}

/** Certified is what comes at a temperature of 0. Penalties put off quotes and commas, which JSON has again and again. */
function straysFrom({
  temperature,
  presence_penalty: presence = 0,
  frequency_penalty: frequency = 0,
}: Unchecked): boolean {
  const isHot = typeof temperature === 'number' && temperature > USUAL_TEMPERATURE;
  return isHot || presence !== 0 || frequency !== 0;
}

function functionsOf(tools: unknown, named: unknown): Map<string, object | undefined> {
  const functions = new Map<string, object | undefined>();
  if (!Array.isArray(tools)) return functions;
  for (const tool of tools as unknown[]) {
    if (!isJsonObject(tool) || !isJsonObject(tool.function)) continue;
    const { name, parameters, strict } = tool.function;
    if (typeof name !== 'string' || (named !== undefined && name !== named)) continue;
    functions.set(name, strict === true && isJsonObject(parameters) ? parameters : undefined);
  }
  return functions;
}

function undemandingOf(tools: unknown): Set<string> {
  const names = new Set<string>();
  if (!Array.isArray(tools)) return names;
  for (const tool of tools as unknown[]) {
    if (!isJsonObject(tool) || !isJsonObject(tool.function)) continue;
    const { name, parameters } = tool.function;
    const required = isJsonObject(parameters) ? parameters.required : undefined;
    if (typeof name === 'string' && !(Array.isArray(required) && required.length > 0)) names.add(name);
  }
  return names;
}
