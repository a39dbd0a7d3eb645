import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { FINISH_REASONS } from '@svc/contracts';
import type { FinishReason } from '@svc/contracts';
import { ToolCall } from './chat-message';

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
  @ApiProperty({ example: 'svc/demo@1' })
  model!: string;

  @ApiProperty({ description: '`managed` when a vendor answered.' })
  bundleId!: string;

  @ApiProperty({ description: 'The serving address, or which managed vendor answered.' })
  provider!: string;

  @ApiProperty({ description: 'True when a vendor answered because no marketplace provider could.' })
  managed!: boolean;

  @ApiProperty({
    description:
      '`available`; `failover:<n>` after n models failed before anything was delivered; `managed:<why>`.',
    example: 'available',
  })
  reason!: string;
}

/** What the reply cost and who served it (spec section 2.2, `svc`). */
export class ServiceReply {
  @ApiProperty({ description: 'Settled price in USDC, six decimals.', example: '0.000123' })
  cost_usdc!: string;

  @ApiProperty({
    description:
      'Address of the provider that served. When a vendor answered instead: the word `managed` on the test network, `fallback` in ' +
      'production.',
  })
  provider!: string;

  @ApiPropertyOptional({
    description: 'Production: true when the managed fallback answered because no provider could.',
  })
  fallback?: boolean;

  @ApiPropertyOptional({
    description: 'Production: which fallback mapping served; present when `fallback` is true.',
  })
  fallback_mapping?: string;

  @ApiPropertyOptional({
    type: () => ServedModel,
    description: 'Test network: on replies of the routing model, the concrete model behind them.',
  })
  served?: ServedModel;
}

/** What a stream that failed cost. */
export class FailedService {
  @ApiProperty({
    description: 'Nothing, unless the message says that what was passed on is charged.',
    example: '0.000000',
  })
  cost_usdc!: string;
}

/** As it is sent; described apart, as what is sent back may have a null where this has nothing. */
export class RepliedToolCall extends ToolCall {}

export class AssistantMessage {
  @ApiProperty({ enum: ['assistant'] })
  role!: 'assistant';

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'null' }],
    description: 'Null when the reply is tool calls, or a refusal, only.',
  })
  content!: string | null;

  @ApiPropertyOptional({ description: 'Why the model declines, where it says so apart from its content.' })
  refusal?: string;

  @ApiPropertyOptional({ description: 'What the model thought before it answered, where it tells.' })
  reasoning_content?: string;

  @ApiPropertyOptional({ type: () => [RepliedToolCall] })
  tool_calls?: RepliedToolCall[];
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

  @ApiProperty({ description: 'As it was asked for.' })
  model!: string;

  @ApiPropertyOptional({
    description:
      'Who served: `<bundle>:<profile>`; `cortex:<model>` on replies of the routing model; `fallback:<mapping>` of the managed fallback.',
  })
  system_fingerprint?: string;

  @ApiProperty({ type: () => [ChatChoice] })
  choices!: ChatChoice[];

  @ApiProperty({ type: () => TokenUsage })
  usage!: TokenUsage;

  @ApiProperty({ type: () => ServiceReply })
  svc!: ServiceReply;
}
