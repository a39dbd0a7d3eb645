import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsPlainText, MAX_PROVIDER_PAGE } from '@svc/contracts';
import { Exact } from '@svc/validation';
import { IsIn, IsOptional, IsString, Length } from 'class-validator';
import { EXAMPLE_WALLET, IsAddress } from '../../fields/address';
import { SuspensionReply } from '../../supply/providers/provider-status.dto';
import { oneOfWords } from '../../http/query-words';
import { IsWholeNumberText } from '../../http/whole-number-text';

/** The query of the list of providers: texts, as they stand in a URL. */
@Exact()
export class ProvidersQuery {
  @ApiPropertyOptional({ description: 'How the name begins, or the wallet (`0x…`).', maxLength: 80 })
  @IsOptional()
  @IsString()
  @Length(1, 80)
  @IsPlainText()
  search?: string;

  @ApiPropertyOptional({
    ...oneOfWords(['suspended']),
    description: 'Only those that an operator suspended.',
  })
  @IsOptional()
  @IsIn(['suspended'])
  only?: 'suspended';

  @ApiPropertyOptional({ description: '`next` of the page before.' })
  @IsOptional()
  @IsAddress()
  cursor?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_PROVIDER_PAGE, default: 50 })
  @IsOptional()
  @IsWholeNumberText(1, MAX_PROVIDER_PAGE)
  limit?: string;
}

@ApiExtraModels(SuspensionReply)
export class ProviderSummaryReply {
  @ApiProperty({ example: EXAMPLE_WALLET })
  provider!: string;

  @ApiProperty({ description: 'The provider’s word.' })
  name!: string;

  @ApiProperty({ description: 'How operators reach it: the provider’s word, shown to nobody else.' })
  contact!: string;

  @ApiProperty({ description: 'UTC.' })
  registered_at!: string;

  @ApiProperty({ oneOf: [{ $ref: getSchemaPath(SuspensionReply) }, { type: 'null' }] })
  suspension!: SuspensionReply | null;

  @ApiProperty({ type: 'integer', description: 'Not withdrawn.' })
  offers!: number;
}

/** In the order of the names, or of the wallets when a wallet is looked for. */
export class ProviderPageReply {
  @ApiProperty({ type: [ProviderSummaryReply] })
  providers!: ProviderSummaryReply[];

  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'null' }], description: '`cursor` of the next page.' })
  next!: string | null;
}
