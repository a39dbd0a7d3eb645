/** What a request is made of besides the conversation; texts as they were typed, empty for what is not sent. */
export interface Settings {
  model: string;
  system: string;
  temperature: string;
  topP: string;
  maxTokens: string;
  seed: string;
  stop: string[];
  format: 'text' | 'json_object' | 'json_schema';
  /** JSON Schema, for the last of these. */
  schema: string;
  /** A JSON array of tools. */
  tools: string;
  /** `auto`, `none`, `required`, or a function's name after `function:`. */
  toolChoice: string;
}

export const FIRST_SETTINGS: Settings = {
  ...{ model: '', system: '', temperature: '', topP: '', maxTokens: '', seed: '', stop: [] },
  ...{ format: 'text', schema: '', tools: '', toolChoice: 'auto' },
};

/** What each is called on the page. */
export const SETTING_NAMES: Record<keyof Settings, string> = {
  ...{ model: 'Model', system: 'System prompt', temperature: 'Temperature', topP: 'Top p' },
  ...{ maxTokens: 'Max tokens', seed: 'Seed', stop: 'Stop', format: 'Answer format', schema: 'JSON Schema' },
  ...{ tools: 'Tools', toolChoice: 'Tool choice' },
};

export const FUNCTION_CHOICE = 'function:';
/** How many stop sequences a request may have at most. */
export const MOST_STOPS = 4;

interface Tool {
  type: 'function';
  function: { name: string; description?: string; parameters?: object; strict?: boolean };
}

export type Problems = Partial<Record<keyof Settings, string>>;

/**
 * What keeps the settings from being sent, by field. What a model cannot do the gateway says.
 * @param listed the models that can be asked, once they are known
 */
export function problemsIn(settings: Settings, listed?: readonly { id: string }[]): Problems {
  const problems: Problems = {};
  const check = (field: keyof Settings, problem: string | undefined) => {
    if (problem !== undefined) problems[field] = problem;
  };
  check('model', modelProblem(settings.model, listed));
  check('temperature', numberProblem(settings.temperature, { from: 0, to: 2 }));
  check('topP', numberProblem(settings.topP, { from: 0, to: 1 }));
  check('maxTokens', numberProblem(settings.maxTokens, { from: 1, to: 10_000_000, whole: true }));
  check('seed', numberProblem(settings.seed, { from: -2_147_483_648, to: 2_147_483_647, whole: true }));
  if (settings.format === 'json_schema') check('schema', schemaProblem(settings.schema));
  const tools = readTools(settings.tools);
  if (typeof tools === 'string') check('tools', tools);
  return problems;
}

/** The first of them, with its field: said where one sends, which may be far from there. */
export function hindranceIn(problems: Problems): string | undefined {
  const [field] = Object.keys(problems) as (keyof Settings)[];
  return field && `${SETTING_NAMES[field]}: ${problems[field]}`;
}

/** @returns the tools; none for an empty text; what is wrong with it, in words */
export function readTools(text: string): Tool[] | string {
  if (text.trim() === '') return [];
  const value = parse(text);
  if (!Array.isArray(value)) return 'Write a JSON array of tools';
  const names = new Set<string>();
  for (const [at, tool] of value.entries()) {
    if (!isTool(tool)) return `Tool ${at + 1} needs "type": "function" and a "function" with a "name"`;
    if (names.has(tool.function.name)) return `Two tools are called ${tool.function.name}`;
    names.add(tool.function.name);
  }
  return value as Tool[];
}

function isTool(value: unknown): value is Tool {
  if (!isRecord(value) || value.type !== 'function' || !isRecord(value.function)) return false;
  return typeof value.function.name === 'string' && value.function.name !== '';
}

interface Range {
  from: number;
  to: number;
  whole?: boolean;
}

/** Another one is not chosen by itself: it has another price, and may be none that the conversation is meant for. */
function modelProblem(model: string, listed?: readonly { id: string }[]): string | undefined {
  if (model === '') return 'Choose a model';
  const isListed = listed?.some(({ id }) => id === model) ?? true;
  return isListed ? undefined : 'It is not on the market; choose another';
}

function numberProblem(text: string, { from, to, whole = false }: Range): string | undefined {
  if (text.trim() === '') return undefined;
  const value = Number(text);
  const fits = Number.isFinite(value) && value >= from && value <= to && (!whole || Number.isInteger(value));
  if (fits) return undefined;
  const [least, most] = [from, to].map((bound) => bound.toLocaleString('en'));
  return `A ${whole ? 'whole ' : ''}number from ${least} to ${most}`;
}

function schemaProblem(text: string): string | undefined {
  if (text.trim() === '') return 'Write a JSON Schema';
  return isRecord(parse(text)) ? undefined : 'This is not a JSON object';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
