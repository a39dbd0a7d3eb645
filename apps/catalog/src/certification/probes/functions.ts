import type { ProbeReply, ProbeToolCall } from '@svc/contracts';
import { isJsonObject } from '@svc/validation';
import { Ajv } from 'ajv';

/** A function that probes offer to the model, in OpenAI's shape, with the check of its arguments. */
export interface OfferedFunction {
  readonly name: string;
  /** As it stands in `tools`. */
  readonly tool: object;
  readonly matches: (args: unknown) => boolean;
}

const ajv = new Ajv({ allowUnionTypes: true });

/** A function as it stands in `tools`. */
export function toolOf(
  name: string,
  description: string,
  parameters: object,
  options: { strict?: boolean } = {},
): object {
  const definition = { name, description, parameters, ...(options.strict && { strict: true }) };
  return { type: 'function', function: definition };
}

/** For functions that are the same in every run: the check of their arguments is kept for good. */
export function functionOf(...definition: Parameters<typeof toolOf>): OfferedFunction {
  const [name, , parameters] = definition;
  const validate = ajv.compile(parameters);
  return { name, tool: toolOf(...definition), matches: (args) => validate(args) };
}

/** A function that tells something of a city. */
export interface CityFunction extends OfferedFunction {
  /** What it tells, before the city's name. */
  readonly topic: string;
}

function cityFunction(name: string, description: string, topic: string): CityFunction {
  const city = { type: 'string', minLength: 1, description: 'The name of the city, e.g. Paris' };
  const parameters = { type: 'object', properties: { city }, required: ['city'] };
  return { ...functionOf(name, description, parameters), topic };
}

export const GET_WEATHER = cityFunction(
  'get_weather',
  'Tells the weather in a city as it is now.',
  'the weather in',
);

export const GET_LOCAL_TIME = cityFunction(
  'get_local_time',
  'Tells the local time in a city.',
  'the local time in',
);

export const CITY_FUNCTIONS: readonly CityFunction[] = [
  GET_WEATHER,
  GET_LOCAL_TIME,
  cityFunction('get_air_quality', 'Tells how clean the air of a city is now.', 'the air quality in'),
  cityFunction('get_traffic', 'Tells how dense the traffic in a city is now.', 'the traffic like in'),
  cityFunction('find_population', 'Tells how many people live in a city.', 'the population of'),
  cityFunction('look_up_sunset', 'Tells when the sun sets in a city today.', 'the time of sunset in'),
];

/** The values of `tool_choice` that are told apart, each by a probe of its own. */
export const TOOL_CHOICES = ['auto', 'none', 'required', 'function'] as const;
export type ToolChoice = (typeof TOOL_CHOICES)[number];

/** The field `tool_choice` of a request. */
export function choiceField(choice: ToolChoice, name: string): unknown {
  return choice === 'function' ? { type: 'function', function: { name } } : choice;
}

/**
 * What speaks against a reply that should call these functions and no others. Ids are not looked at: clients get ours.
 * @param least how many calls there must be
 */
export function problemOfCalls(
  reply: ProbeReply,
  functions: readonly OfferedFunction[],
  least = 1,
): string | undefined {
  const { toolCalls } = reply;
  if (toolCalls.length < least) {
    const came = toolCalls.length === 0 ? 'no tool call' : '1 tool call';
    return `it answered with ${came} (finish_reason "${reply.finishReason}")`;
  }
  return toolCalls.map((call) => problemOfCall(call, functions)).find((problem) => problem !== undefined);
}

function problemOfCall(call: ProbeToolCall, functions: readonly OfferedFunction[]): string | undefined {
  const called = functions.find(({ name }) => name === call.name);
  if (!called) return `it called "${call.name.slice(0, 64)}", which was not to be called`;
  const args = argumentsOf(call);
  if (args === undefined) return `the arguments of its call to ${called.name} are not a JSON object`;
  return called.matches(args)
    ? undefined
    : `the arguments of its call to ${called.name} do not match their schema`;
}

/** @returns undefined for what is no JSON object */
export function argumentsOf({ arguments: text }: ProbeToolCall): object | undefined {
  try {
    const args: unknown = JSON.parse(text);
    return isJsonObject(args) ? args : undefined;
  } catch {
    return undefined;
  }
}
