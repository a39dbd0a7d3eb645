import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Checked, Nested, extraContentProblem, isJsonObject, isText } from '@svc/validation';
import type { Problem } from '@svc/validation';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  MaxLength,
} from 'class-validator';
import { FUNCTION_NAME_PATTERN } from './function-name';
import { MAX_JSON_PARTS } from './json-limit';

/** Roles a message may have. `developer` is the newer word for `system` and is taken as such. */
const MESSAGE_ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** One part of a message's content. Parts of other types than `text`, and an assistant's `refusal`, are known by their type only. */
export interface ContentPart {
  type: string;
  text?: string;
  refusal?: string;
}

/** The function that an earlier reply called. */
export class CalledFunction {
  @ApiProperty({ pattern: FUNCTION_NAME_PATTERN.source })
  @Matches(FUNCTION_NAME_PATTERN, { message: 'must be 1 to 64 letters, digits, "_" or "-"' })
  name!: string;

  @ApiProperty({
    description: `A JSON object document. Those of all calls together hold at most ${MAX_JSON_PARTS} JSON values and names of fields.`,
  })
  @IsString()
  arguments!: string;
}

function checkExtraContent(value: unknown): Problem | undefined {
  // That it must be an object is said elsewhere.
  const message = isJsonObject(value) ? extraContentProblem(value) : undefined;
  return message === undefined ? undefined : { path: '', message };
}

export class ToolCall {
  @ApiProperty({ minLength: 1, maxLength: 256 })
  @IsString()
  @Length(1, 256)
  id!: string;

  @ApiProperty({ enum: ['function'] })
  @IsIn(['function'])
  type!: 'function';

  @ApiProperty({ type: () => CalledFunction })
  @Nested(() => CalledFunction)
  function!: CalledFunction;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'What the server put beside the call for itself, such as Gemini’s sealed thoughts (`google.thought_signature`), which it wants ' +
      'back. At most 64 levels deep, with 1,024 JSON values and names of fields.',
  })
  @IsOptional()
  @IsObject()
  @Checked(checkExtraContent)
  extra_content?: Record<string, unknown>;
}

function isMissing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function checkPart(part: unknown, role: unknown): Problem | undefined {
  if (!isJsonObject(part)) return { path: '', message: 'must be an object' };
  const { type, text, refusal } = part;
  if (typeof type !== 'string') return { path: '.type', message: 'must be a string' };
  if (type === 'text' && typeof text !== 'string') return { path: '.text', message: 'must be a string' };
  if (type === 'refusal' && role === 'assistant' && typeof refusal !== 'string') {
    return { path: '.refusal', message: 'must be a string' };
  }
  return undefined;
}

/** A string, an array of parts, or (for an assistant message that calls tools or refuses) null. */
function checkContent(value: unknown, message: object): Problem | undefined {
  if (typeof value === 'string') return undefined;
  const { role, tool_calls: calls, refusal } = message as Partial<Record<string, unknown>>;
  if (isMissing(value)) {
    const says =
      (Array.isArray(calls) && calls.length > 0) || (typeof refusal === 'string' && refusal !== '');
    if (role === 'assistant' && says) return undefined;
    return {
      path: '',
      message:
        'is required; only an assistant message with tool_calls or a refusal may go without. An empty text is ""',
    };
  }
  if (!Array.isArray(value)) return { path: '', message: 'must be a string or an array of parts' };
  if (value.length === 0) return { path: '', message: 'must hold at least 1 part' };
  for (let index = 0; index < value.length; index++) {
    const problem = checkPart(value[index], role);
    if (problem) return { path: `[${index}]${problem.path}`, message: problem.message };
  }
  return undefined;
}

/** A text that replies have beside their content; of other roles it means nothing. */
function checkReplied(value: unknown, message: object): Problem | undefined {
  const { role } = message as Partial<Record<string, unknown>>;
  if (role !== 'assistant' || isMissing(value) || typeof value === 'string') return undefined;
  return { path: '', message: 'must be a string or null' };
}

/** Required on a `tool` message, and only there. */
function checkToolCallId(value: unknown, message: object): Problem | undefined {
  const { role } = message as Partial<Record<string, unknown>>;
  if (isMissing(value)) {
    return role === 'tool' ? { path: '', message: 'is required on a tool message' } : undefined;
  }
  return isText(value, 1, 256) ? undefined : { path: '', message: 'must be a string of 1 to 256 characters' };
}

export class ChatMessage {
  @ApiProperty({ enum: MESSAGE_ROLES, description: '`developer` is taken as `system`.' })
  @IsIn(MESSAGE_ROLES)
  role!: MessageRole;

  @ApiPropertyOptional({
    description:
      'Null or absent only on an assistant message that carries `tool_calls` or `refusal`. A part of the type `refusal` only there too.',
    oneOf: [
      { type: 'string' },
      {
        type: 'array',
        minItems: 1,
        items: {
          oneOf: ['text', 'refusal'].map((type) => ({
            type: 'object',
            required: ['type', type],
            properties: { type: { type: 'string', enum: [type] }, [type]: { type: 'string' } },
          })),
        },
      },
      { type: 'null' },
    ],
  })
  @Checked(checkContent)
  content!: string | ContentPart[] | null;

  @ApiPropertyOptional({
    oneOf: [{ type: 'string' }, { type: 'null' }],
    description:
      'Of an assistant message, as an earlier reply had it: passed on as its text where it has no other.',
  })
  @Checked(checkReplied)
  refusal?: string | null;

  @ApiPropertyOptional({
    oneOf: [{ type: 'string' }, { type: 'null' }],
    description:
      'Of an assistant message, as an earlier reply had it: what the model thought. Passed on to models with `reasoning`, as part of the ' +
      'prompt; several of them refuse their own tool calls without it. Others are not told.',
  })
  @Checked(checkReplied)
  reasoning_content?: string | null;

  @ApiPropertyOptional({ maxLength: 256 })
  @IsOptional()
  @IsString()
  @MaxLength(256)
  name?: string;

  @ApiPropertyOptional({
    type: String,
    minLength: 1,
    maxLength: 256,
    description: 'Required on a `tool` message.',
  })
  @Checked(checkToolCallId)
  tool_call_id?: string;

  @ApiPropertyOptional({ type: () => [ToolCall], maxItems: 128, description: 'On an assistant message.' })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(128)
  @Nested(() => ToolCall, { each: true })
  tool_calls?: ToolCall[];
}
