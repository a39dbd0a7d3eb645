import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { EXAMPLE_WALLET } from '../../fields/address';
import { OfferStatusReply } from '../offers/offer-status.dto';

export class SuspensionReply {
  @ApiProperty({ description: 'UTC.' })
  at!: string;

  @ApiProperty()
  reason!: string;
}

/** What everybody may know of a provider; how to reach it, and where its endpoints are, is not among it. */
@ApiExtraModels(SuspensionReply)
export class ProviderStatusReply {
  @ApiProperty({ example: EXAMPLE_WALLET })
  provider!: string;

  @ApiProperty({ example: 'Example Compute' })
  name!: string;

  @ApiProperty({ description: 'UTC.', example: '2026-11-21T06:00:00.000Z' })
  registered_at!: string;

  @ApiProperty({ type: 'integer', description: 'The highest nonce used.' })
  nonce!: number;

  @ApiProperty({
    oneOf: [{ $ref: getSchemaPath(SuspensionReply) }, { type: 'null' }],
    description: 'By an operator; none of the offers serves.',
  })
  suspension!: SuspensionReply | null;

  @ApiProperty({ type: [OfferStatusReply] })
  offers!: OfferStatusReply[];
}
