import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { CardCapabilities, CardToolContract } from '@svc/openai-api';
import { EXAMPLE_WALLET } from '../../fields/address';
import { ProbeRefusalReply } from '../offers/offer-status.dto';

const MOMENT = { description: 'UTC.', example: '2026-11-21T06:00:00.000Z' } as const;

/** One request of a probe and what came of it; both are cut to some kilobytes. What stands in a reply is the provider's word. */
export class ProbeExchangeReply {
  @ApiProperty()
  request!: string;

  @ApiProperty()
  reply!: string;

  @ApiPropertyOptional()
  first_token_ms?: number;

  @ApiProperty()
  total_ms!: number;
}

export class ProbeReportReply {
  @ApiProperty({ example: 'usage_honesty' })
  name!: string;

  @ApiProperty({
    description: 'Whether the offer may serve nothing without it; others say what it may serve.',
  })
  required!: boolean;

  @ApiProperty({ enum: ['pending', 'running', 'passed', 'failed', 'skipped'] })
  status!: string;

  @ApiPropertyOptional()
  message?: string;

  @ApiPropertyOptional(MOMENT)
  started_at?: string;

  @ApiPropertyOptional(MOMENT)
  finished_at?: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'What was measured, by name.',
    example: { prompt_tokens: 412 },
  })
  figures!: Record<string, number>;

  @ApiProperty({ type: [ProbeExchangeReply] })
  exchanges!: ProbeExchangeReply[];
}

/** What the offer is certified for. */
@ApiExtraModels(CardToolContract)
export class CertifiedScopeReply {
  @ApiProperty({ type: CardCapabilities })
  capabilities!: CardCapabilities;

  @ApiProperty({
    oneOf: [{ $ref: getSchemaPath(CardToolContract) }, { type: 'null' }],
    description: 'Null without tools.',
  })
  tool_contract!: CardToolContract | null;

  @ApiProperty({ type: 'integer', description: 'Requests at once that held.' })
  concurrency!: number;

  @ApiProperty()
  first_token_ms!: number;

  @ApiProperty()
  tokens_per_second!: number;
}

/** What was tried on an offer, and what came of it. Never where its endpoint is, nor its credential. */
export class CertificationReportReply {
  @ApiProperty()
  id!: string;

  @ApiProperty({ enum: ['full', 'canary'] })
  kind!: string;

  @ApiProperty({ enum: ['queued', 'running', 'passed', 'refused', 'abandoned'] })
  status!: string;

  @ApiProperty({ example: 'ofr_0123456789abcdef0123456789abcdef' })
  offer_id!: string;

  @ApiProperty({ type: 'integer', description: 'Of the offer.' })
  version!: number;

  @ApiProperty({ example: EXAMPLE_WALLET })
  provider!: string;

  @ApiProperty({ example: 'svc/demo@1' })
  model!: string;

  @ApiProperty()
  bundle!: string;

  @ApiProperty()
  profile!: string;

  @ApiProperty({ type: 'integer', description: 'The rules by which tokens were counted.' })
  metering_version!: number;

  @ApiProperty(MOMENT)
  requested_at!: string;

  @ApiPropertyOptional(MOMENT)
  started_at?: string;

  @ApiPropertyOptional(MOMENT)
  finished_at?: string;

  @ApiPropertyOptional({ ...MOMENT, description: 'UTC: when it must have been certified anew.' })
  valid_until?: string;

  @ApiProperty({ type: 'integer', description: 'Probes that are over.' })
  done!: number;

  @ApiProperty({ type: 'integer' })
  total!: number;

  @ApiProperty({ type: [ProbeReportReply] })
  probes!: ProbeReportReply[];

  @ApiPropertyOptional({ type: CertifiedScopeReply })
  result?: CertifiedScopeReply;

  @ApiPropertyOptional({ type: ProbeRefusalReply })
  refusal?: ProbeRefusalReply;
}
