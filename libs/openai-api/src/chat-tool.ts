import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Checked, Nested, isDeeperThan, isJsonObject, schemasIn } from '@svc/validation';
import type { Problem } from '@svc/validation';
import { IsBoolean, IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { FUNCTION_NAME_PATTERN } from './function-name';
import { MAX_SCHEMA_DEPTH, checkParameters } from './json-schema-check';

export class FunctionDefinition {
  @ApiProperty({ pattern: FUNCTION_NAME_PATTERN.source, description: 'Unique among the tools.' })
  @Matches(FUNCTION_NAME_PATTERN, { message: 'must be 1 to 64 letters, digits, "_" or "-"' })
  name!: string;

  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  description?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'A JSON Schema of objects, at most 64 levels deep and 128 KiB, that refers to nothing outside itself and holds at most 8,192 schemas. ' +
      'A pattern in it has at most 2,048 characters, all of them together 16,384.',
  })
  @IsOptional()
  @Checked(checkParameters)
  parameters?: Record<string, unknown>;

  @ApiPropertyOptional()
  @IsOptional()
  @IsBoolean()
  strict?: boolean;
}

/** The types that OpenAI has. Of them only `function` is offered here; the other is known, and told so, by its type only. */
const TOOL_TYPES = ['function', 'custom'] as const;

export class ChatTool {
  @ApiProperty({ enum: ['function'] })
  @IsIn(TOOL_TYPES, { message: 'must be "function"' })
  type!: (typeof TOOL_TYPES)[number];

  /** There when the type is "function". */
  @ApiProperty({ type: () => FunctionDefinition })
  @IsOptional()
  @Nested(() => FunctionDefinition)
  function?: FunctionDefinition;
}

/** Size of all tools as JSON, in characters: what checking their schemas may cost is bounded by it. */
const MAX_TOOLS_LENGTH = 512 * 1024;

/** Schemas in all tools: 128 of 100 properties each are some 13,000. */
const MAX_SCHEMAS_TOGETHER = 16 * 1024;

/** In whichever keyword one stands, with the comma before the next. */
const SHORTEST_SCHEMA = 2;

/** Levels of nesting between the list of tools and a schema in it. */
const LEVELS_ABOVE_SCHEMA = 3;

/** Looked at before the tools themselves are. */
export function checkToolsSize(value: unknown): Problem | undefined {
  if (isDeeperThan(value, MAX_SCHEMA_DEPTH + LEVELS_ABOVE_SCHEMA)) {
    return { path: '', message: `must not hold schemas deeper than ${MAX_SCHEMA_DEPTH} levels` };
  }
  const { length } = JSON.stringify(value);
  if (length > MAX_TOOLS_LENGTH) {
    return { path: '', message: `must not be larger than ${MAX_TOOLS_LENGTH / 1024} KiB together` };
  }
  // Nearly all: with each request of a conversation the same tools come.
  if (length <= MAX_SCHEMAS_TOGETHER * SHORTEST_SCHEMA) return undefined;
  let room = MAX_SCHEMAS_TOGETHER;
  for (const tool of value as unknown[]) {
    const { parameters } = ((tool as Partial<ChatTool> | null)?.function ??
      {}) as Partial<FunctionDefinition>;
    if (isJsonObject(parameters)) room -= schemasIn(parameters, room);
  }
  if (room >= 0) return undefined;
  return { path: '', message: `must not hold more than ${MAX_SCHEMAS_TOGETHER} schemas together` };
}

/** The ways to steer tool use that have a word; the fourth names a function. */
export const TOOL_CHOICE_WORDS = ['none', 'auto', 'required'] as const;
export type ToolChoiceWord = (typeof TOOL_CHOICE_WORDS)[number];

/** `function` is there when the type is "function"; other types are known by their type only. */
export interface NamedToolChoice {
  type: string;
  function?: { name: string };
}

export type ToolChoice = ToolChoiceWord | NamedToolChoice;

export function isToolChoiceWord(text: string): text is ToolChoiceWord {
  return (TOOL_CHOICE_WORDS as readonly string[]).includes(text);
}

/** A word, or an object with a type; one of type "function" names the function. */
export function checkToolChoice(value: unknown): Problem | undefined {
  if (typeof value === 'string') {
    if (isToolChoiceWord(value)) return undefined;
    return { path: '', message: `must be one of ${TOOL_CHOICE_WORDS.join(', ')}, or name a function` };
  }
  if (!isJsonObject(value)) return { path: '', message: 'must be a string or an object' };
  const { type, function: named } = value;
  if (typeof type !== 'string') return { path: 'type', message: 'must be a string' };
  if (type !== 'function') return undefined;
  if (typeof named !== 'object' || named === null) return { path: 'function', message: 'must be an object' };
  const { name } = named as { name?: unknown };
  const fits = typeof name === 'string' && FUNCTION_NAME_PATTERN.test(name);
  return fits ? undefined : { path: 'function.name', message: 'must be 1 to 64 letters, digits, "_" or "-"' };
}
