import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { EXAMPLE_WALLET } from '../../fields/address';

const MOMENT = { description: 'UTC.', example: '2026-11-21T06:00:00.000Z' } as const;

export class OfferReasonReply {
  @ApiProperty({
    description:
      '`expired`, `certification_expired`, `operator`, `provider_suspended`, `price_above_ceiling`, `no_heartbeat`, `failing`, `invalid_output`, `usage_inflated`, `drift`, or the failing probe.',
    example: 'no_heartbeat',
  })
  code!: string;

  @ApiProperty({ example: 'The endpoint did not answer three heartbeats in a row.' })
  message!: string;
}

export class ProbeRefusalReply {
  @ApiProperty({ example: 'usage_honesty' })
  probe!: string;

  @ApiProperty()
  message!: string;
}

export class CertificationProgressReply {
  @ApiProperty({ description: '`GET /v1/certifications/{id}` shows the report.' })
  certification_id!: string;

  @ApiProperty({ enum: ['full', 'canary'] })
  kind!: string;

  @ApiProperty({ enum: ['queued', 'running', 'passed', 'refused', 'abandoned'] })
  status!: string;

  @ApiProperty({ type: 'integer', description: 'Probes that are over.' })
  done!: number;

  @ApiProperty({ type: 'integer' })
  total!: number;

  @ApiPropertyOptional({ type: ProbeRefusalReply })
  refusal?: ProbeRefusalReply;
}

/** From real traffic of late; absent figures are not known. */
export class OfferHealthReply {
  @ApiPropertyOptional({ description: '0 to 1.' })
  error_rate?: number;

  @ApiPropertyOptional({ description: '0 to 1.' })
  invalid_rate?: number;

  @ApiPropertyOptional()
  first_token_ms?: number;

  @ApiPropertyOptional()
  tokens_per_second?: number;

  @ApiPropertyOptional(MOMENT)
  last_seen_at?: string;
}

/** What everybody may know of an offer; where its endpoint is, is not among it. */
export class OfferStatusReply {
  @ApiProperty({ example: 'ofr_0123456789abcdef0123456789abcdef' })
  offer_id!: string;

  @ApiProperty({ example: EXAMPLE_WALLET })
  provider!: string;

  @ApiProperty({ example: 'svc/demo@1' })
  model!: string;

  @ApiProperty()
  bundle!: string;

  @ApiProperty()
  profile!: string;

  @ApiProperty({ type: 'integer', description: 'The newest signed version; the terms below are its.' })
  version!: number;

  @ApiProperty({
    oneOf: [{ type: 'integer' }, { type: 'null' }],
    description: 'The version that serves when the offer is live; null before one was certified.',
  })
  live_version!: number | null;

  @ApiProperty({ description: 'Base units (10^-6 USDC) per million tokens.', example: '100000' })
  input_price_per_mtok!: string;

  @ApiProperty({ description: 'Base units (10^-6 USDC) per million tokens.', example: '400000' })
  output_price_per_mtok!: string;

  @ApiProperty({ type: 'integer' })
  concurrency!: number;

  @ApiProperty({ type: 'integer', description: 'Tokens.' })
  context_limit!: number;

  @ApiProperty(MOMENT)
  expires_at!: string;

  @ApiProperty({ enum: ['certifying', 'refused', 'live', 'suspended', 'expired', 'withdrawn'] })
  state!: string;

  @ApiPropertyOptional({ type: OfferReasonReply, description: 'Why it is not live.' })
  reason?: OfferReasonReply;

  @ApiPropertyOptional({
    description: 'Why an operator suspended the offer itself, also where something else is the reason.',
  })
  suspension_reason?: string;

  @ApiPropertyOptional({ description: 'Of the version that serves.' })
  certification_id?: string;

  @ApiPropertyOptional({
    type: CertificationProgressReply,
    description: 'The newest certification, of whichever version.',
  })
  certification?: CertificationProgressReply;

  @ApiProperty({ type: OfferHealthReply })
  health!: OfferHealthReply;
}
