import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ToolCall } from './chat-message';

export const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter'] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

export class TokenUsage {
  @ApiProperty({ type: 'integer' })
  prompt_tokens!: number;

  @ApiProperty({ type: 'integer' })
  completion_tokens!: number;

  @ApiProperty({ type: 'integer' })
  total_tokens!: number;
}

/** The concrete model behind a reply of the routing model (spec section 2.2, `served`). */
export class ServedModel {
  @ApiProperty()
  model!: string;

  @ApiProperty()
  bundleId!: string;

  @ApiProperty({ description: 'The serving address or the managed identity.' })
  provider!: string;

  @ApiProperty({ description: 'True when a vendor answered because no marketplace provider could.' })
  managed!: boolean;

  @ApiProperty({ description: '`available`, `failover:<n>` or `managed:<why>`.' })
  reason!: string;
}

/** What the reply cost and who served it (spec section 2.2, `svc`). */
export class ServiceReply {
  @ApiProperty({ description: 'Settled price in USDC, six decimals.', example: '0.000123' })
  cost_usdc!: string;

  @ApiProperty({ description: 'Address of the provider that served.' })
  provider!: string;

  @ApiPropertyOptional({ description: 'Production: true when the managed fallback answered.' })
  fallback?: boolean;

  @ApiPropertyOptional({ description: 'Production: which fallback mapping served.' })
  fallback_mapping?: string;

  @ApiPropertyOptional({ type: () => ServedModel, description: 'Replies of the routing model.' })
  served?: ServedModel;
}

export class AssistantMessage {
  @ApiProperty({ enum: ['assistant'] })
  role!: 'assistant';

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'null' }],
    description: 'Null when the reply is tool calls only.',
  })
  content!: string | null;

  @ApiPropertyOptional({ type: () => [ToolCall] })
  tool_calls?: ToolCall[];
}

export class ChatChoice {
  @ApiProperty({ type: 'integer' })
  index!: number;

  @ApiProperty({ enum: FINISH_REASONS })
  finish_reason!: FinishReason;

  @ApiProperty({ type: () => AssistantMessage })
  message!: AssistantMessage;
}

/** The reply to a request without `stream` (spec section 2.2). */
export class ChatCompletion {
  @ApiProperty({ example: 'chatcmpl-0mb1x2y3z' })
  id!: string;

  @ApiProperty({ enum: ['chat.completion'] })
  object!: 'chat.completion';

  @ApiProperty({ type: 'integer', description: 'Unix seconds.' })
  created!: number;

  @ApiProperty()
  model!: string;

  @ApiPropertyOptional({ description: 'Who served: `<bundle>:<profile>`.' })
  system_fingerprint?: string;

  @ApiProperty({ type: () => [ChatChoice] })
  choices!: ChatChoice[];

  @ApiProperty({ type: () => TokenUsage })
  usage!: TokenUsage;

  @ApiProperty({ type: () => ServiceReply })
  svc!: ServiceReply;
}
