import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Checked, Nested } from '@svc/validation';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { ChatMessage } from './chat-message';
import { ChatTool, TOOL_CHOICE_WORDS, checkToolChoice, checkToolsSize } from './chat-tool';
import type { ToolChoice } from './chat-tool';
import { FUNCTION_NAME_PATTERN } from './function-name';
import { MAX_STOPS, MAX_STOP_LENGTH, checkLogitBias, checkMetadata, checkStop } from './map-checks';
import { ResponseFormat } from './response-format';
import { MAX_MODALITIES, Unread, checkModalities } from './unoffered-fields';

const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** More tokens than any model generates; keeps arithmetic on limits exact. */
const MOST_TOKENS = 1_000_000_000;

const STOP = { type: 'string', minLength: 1, maxLength: MAX_STOP_LENGTH } as const;

export class StreamOptions {
  @ApiPropertyOptional({ description: 'The last chunk carries `usage`.' })
  @IsOptional()
  @IsBoolean()
  include_usage?: boolean;
}

/**
 * The body of `POST /v1/chat/completions` (spec section 2.1) with the fields that the ecosystem sends beside it. Unknown
 * fields are ignored and never forwarded. A null in an optional field counts as absent.
 */
export class ChatCompletionRequest {
  @ApiProperty({
    description: 'Model id, form `svc/<name>@<version>`.',
    example: 'svc/demo@1',
    minLength: 1,
    maxLength: 256,
  })
  @IsString()
  @Length(1, 256)
  model!: string;

  @ApiProperty({ type: () => [ChatMessage], minItems: 1, maxItems: 10_000 })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(10_000)
  @Nested(() => ChatMessage, { each: true })
  messages!: ChatMessage[];

  @ApiPropertyOptional({ description: 'True gives server-sent events.' })
  @IsOptional()
  @IsBoolean()
  stream?: boolean;

  @ApiPropertyOptional({ type: () => StreamOptions, description: 'Only with `stream`.' })
  @IsOptional()
  @Nested(() => StreamOptions)
  stream_options?: StreamOptions;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MOST_TOKENS,
    description: 'Bounds the output and therefore the maximum charge.',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MOST_TOKENS)
  max_tokens?: number;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MOST_TOKENS,
    description: 'Another name of `max_tokens`.',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MOST_TOKENS)
  max_completion_tokens?: number;

  @ApiPropertyOptional({ minimum: 0, maximum: 2 })
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(2)
  temperature?: number;

  @ApiPropertyOptional({ minimum: 0, maximum: 1 })
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  top_p?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 128, description: 'Only 1 is supported.' })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(128)
  n?: number;

  @ApiPropertyOptional({
    description: `A string, or up to ${MAX_STOPS}.`,
    oneOf: [STOP, { type: 'array', maxItems: MAX_STOPS, items: STOP }],
  })
  @IsOptional()
  @Checked(checkStop)
  stop?: string | string[];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  })
  @IsOptional()
  @IsInt()
  @Min(Number.MIN_SAFE_INTEGER)
  @Max(Number.MAX_SAFE_INTEGER)
  seed?: number;

  @ApiPropertyOptional({ minimum: -2, maximum: 2 })
  @IsOptional()
  @IsNumber()
  @Min(-2)
  @Max(2)
  presence_penalty?: number;

  @ApiPropertyOptional({ minimum: -2, maximum: 2 })
  @IsOptional()
  @IsNumber()
  @Min(-2)
  @Max(2)
  frequency_penalty?: number;

  @ApiPropertyOptional({
    type: () => [ChatTool],
    maxItems: 128,
    description: 'At most 512 KiB and 16,384 schemas together.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(128)
  @Checked(checkToolsSize)
  @Nested(() => ChatTool, { each: true })
  tools?: ChatTool[];

  @ApiPropertyOptional({
    oneOf: [
      { type: 'string', enum: [...TOOL_CHOICE_WORDS] },
      {
        type: 'object',
        required: ['type'],
        properties: { type: { type: 'string', enum: [...TOOL_CHOICE_WORDS] } },
        description: 'The same words, as Cursor sends them.',
      },
      {
        type: 'object',
        required: ['type', 'function'],
        properties: {
          type: { type: 'string', enum: ['function'] },
          function: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string', pattern: FUNCTION_NAME_PATTERN.source } },
          },
        },
      },
    ],
  })
  @IsOptional()
  @Checked(checkToolChoice)
  tool_choice?: ToolChoice;

  @ApiPropertyOptional()
  @IsOptional()
  @IsBoolean()
  parallel_tool_calls?: boolean;

  @ApiPropertyOptional({ type: () => ResponseFormat })
  @IsOptional()
  @Nested(() => ResponseFormat)
  response_format?: ResponseFormat;

  @ApiPropertyOptional()
  @IsOptional()
  @IsBoolean()
  logprobs?: boolean;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: 20 })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(20)
  top_logprobs?: number;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'number', minimum: -100, maximum: 100 },
    maxProperties: 1_024,
    description: 'By token id.',
  })
  @IsOptional()
  @Checked(checkLogitBias)
  logit_bias?: Record<string, number>;

  @ApiPropertyOptional({
    enum: REASONING_EFFORTS,
    description: '`none` asks nothing of a model that does not think.',
  })
  @IsOptional()
  @IsIn(REASONING_EFFORTS)
  reasoning_effort?: (typeof REASONING_EFFORTS)[number];

  @ApiPropertyOptional({ maxLength: 512, description: 'Accepted; not passed on to providers.' })
  @IsOptional()
  @IsString()
  @MaxLength(512)
  user?: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 512 },
    maxProperties: 16,
    // A word of OpenAPI 3.1, which the decorators' types do not know.
    ...{ propertyNames: { maxLength: 64 } },
    description: 'Accepted; not passed on to providers. Keys have at most 64 characters.',
  })
  @IsOptional()
  @Checked(checkMetadata)
  metadata?: Record<string, string>;

  @ApiPropertyOptional({ description: 'Accepted; not passed on to providers.' })
  @IsOptional()
  @IsBoolean()
  store?: boolean;

  // OpenAI's, and not offered. They are known so that it can be said: ignored like others, they would be paid for and not there.

  @ApiPropertyOptional({
    type: 'array',
    maxItems: 0,
    items: { type: 'object' },
    description: 'Not offered: what came before `tools`.',
  })
  @IsOptional()
  @IsArray()
  @Nested(() => Unread, { each: true })
  functions?: Unread[];

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', enum: ['text'] },
    maxItems: MAX_MODALITIES,
    description: 'Nothing but text is offered.',
  })
  @IsOptional()
  @Checked(checkModalities)
  modalities?: string[];

  @ApiPropertyOptional({ type: 'null', description: 'Not offered.' })
  @IsOptional()
  @Nested(() => Unread)
  web_search_options?: Unread;
}
