import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { SettlementStandingReply } from './settlement-standing.dto';

export class CatalogueOverviewReply {
  @ApiProperty({ type: 'integer' })
  models!: number;

  @ApiProperty({ type: 'integer' })
  providers!: number;

  @ApiProperty({ type: 'integer' })
  suspended_providers!: number;

  @ApiProperty({ type: 'integer', description: 'Not withdrawn.' })
  offers!: number;

  @ApiProperty({ type: 'integer', description: 'What requests are planned for now.' })
  live_offers!: number;

  @ApiProperty({ type: 'integer', description: 'Full certifications that wait or run.' })
  open_certifications!: number;
}

/** Each half is null while the service that knows it does not answer: the other half is then wanted all the more. */
@ApiExtraModels(CatalogueOverviewReply, SettlementStandingReply)
export class OperatorOverviewReply {
  @ApiProperty({ oneOf: [{ $ref: getSchemaPath(CatalogueOverviewReply) }, { type: 'null' }] })
  catalogue!: CatalogueOverviewReply | null;

  @ApiProperty({ oneOf: [{ $ref: getSchemaPath(SettlementStandingReply) }, { type: 'null' }] })
  settlement!: SettlementStandingReply | null;
}
