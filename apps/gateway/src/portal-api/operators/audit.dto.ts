import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsPlainText } from '@svc/contracts';
import { Exact } from '@svc/validation';
import { IsIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import { oneOfWords } from '../../http/query-words';
import { IsWholeNumberText } from '../../http/whole-number-text';

const TRAILS = ['catalogue', 'billing'] as const;

/** The query of the audit trail: texts, as they stand in a URL. */
@Exact()
export class AuditQuery {
  @ApiProperty({
    ...oneOfWords(TRAILS),
    description: '`catalogue`: providers, offers, definitions. `billing`: wallets and settlement.',
  })
  @IsIn(TRAILS)
  of!: (typeof TRAILS)[number];

  @ApiPropertyOptional({ description: 'A wallet, an offer’s or a model’s id, `settlement`.', maxLength: 120 })
  @IsOptional()
  @IsString()
  @Length(1, 120)
  @IsPlainText()
  subject?: string;

  @ApiPropertyOptional({ description: '`next` of the page before.' })
  @IsOptional()
  @Matches(/^[1-9][0-9]{0,14}$/, { message: 'must be the `next` of the page before' })
  cursor?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 100, default: 50 })
  @IsOptional()
  @IsWholeNumberText(1, 100)
  limit?: string;
}

export class AuditEntryReply {
  @ApiProperty({ type: 'integer' })
  id!: number;

  @ApiProperty({ description: 'UTC.' })
  at!: string;

  @ApiProperty({ description: 'An operator’s wallet or name, a provider’s wallet, or the service itself.' })
  actor!: string;

  @ApiProperty({ example: 'offer.suspend' })
  action!: string;

  @ApiProperty()
  subject!: string;

  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'null' }] })
  reason!: string | null;
}

/** The newest first. */
export class AuditPageReply {
  @ApiProperty({ type: [AuditEntryReply] })
  entries!: AuditEntryReply[];

  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'null' }], description: '`cursor` of the next page.' })
  next!: string | null;
}
