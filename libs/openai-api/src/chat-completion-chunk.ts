import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { FINISH_REASONS } from '@svc/contracts';
import type { FinishReason } from '@svc/contracts';
import { ToolCall } from './chat-message';
import { FailedService, ServiceReply, TokenUsage } from './chat-completion-response';
import { ErrorDetail } from './error-response';

/** A tool call as it streams: whole, with its place among the calls. */
export class ChunkToolCall extends ToolCall {
  @ApiProperty({ type: 'integer' })
  index!: number;
}

export class ChunkDelta {
  @ApiPropertyOptional({ enum: ['assistant'] })
  role?: 'assistant';

  @ApiPropertyOptional({ oneOf: [{ type: 'string' }, { type: 'null' }] })
  content?: string | null;

  @ApiPropertyOptional()
  refusal?: string;

  @ApiPropertyOptional()
  reasoning_content?: string;

  @ApiPropertyOptional({ type: () => [ChunkToolCall] })
  tool_calls?: ChunkToolCall[];
}

export class ChunkChoice {
  @ApiProperty({ type: 'integer' })
  index!: number;

  @ApiProperty({ type: () => ChunkDelta })
  delta!: ChunkDelta;

  @ApiProperty({ oneOf: [{ type: 'string', enum: [...FINISH_REASONS] }, { type: 'null' }] })
  finish_reason!: FinishReason | null;
}

/** One event of a stream (spec section 4.1). The last before `[DONE]` has no choices and carries `svc`. */
@ApiExtraModels(ServiceReply, FailedService)
export class ChatCompletionChunk {
  @ApiProperty()
  id!: string;

  @ApiProperty({ enum: ['chat.completion.chunk'] })
  object!: 'chat.completion.chunk';

  @ApiProperty({ type: 'integer', description: 'Unix seconds.' })
  created!: number;

  @ApiProperty()
  model!: string;

  @ApiPropertyOptional()
  system_fingerprint?: string;

  @ApiProperty({ type: () => [ChunkChoice] })
  choices!: ChunkChoice[];

  @ApiPropertyOptional({
    oneOf: [{ $ref: getSchemaPath(TokenUsage) }, { type: 'null' }],
    description:
      'Production: on the last chunk with content. With `stream_options.include_usage`: on the last chunk of all as well, and null elsewhere.',
  })
  usage?: TokenUsage | null;

  @ApiPropertyOptional({
    // A reply's is a failure's too, with more: `oneOf` would refuse it.
    anyOf: [{ $ref: getSchemaPath(ServiceReply) }, { $ref: getSchemaPath(FailedService) }],
    description:
      'On the last chunk. Beside an `error`, the cost alone; absent where the request goes on without this client.',
  })
  svc?: ServiceReply | FailedService;

  @ApiPropertyOptional({
    type: () => ErrorDetail,
    description:
      'The stream failed. Nothing was charged, unless the message says that the request goes on, or what is charged.',
  })
  error?: ErrorDetail;
}
