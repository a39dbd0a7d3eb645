import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { IsModelId } from '@svc/contracts';
import { Exact } from '@svc/validation';
import { BundleContent, ProfileContent } from '../../supply/offers/offer-submission.dto';
import { ProviderStatusReply } from '../../supply/providers/provider-status.dto';

@Exact()
export class BuildsQuery {
  @ApiProperty({ example: 'svc/demo@1' })
  @IsModelId()
  model!: string;
}

export class DefinedBundleReply extends BundleContent {
  @ApiProperty()
  id!: string;
}

export class DefinedProfileReply extends ProfileContent {
  @ApiProperty()
  id!: string;
}

/** Others can be named by their ids all the same, or defined by their content. */
export class BuildsReply {
  @ApiProperty({ type: [DefinedBundleReply] })
  bundles!: DefinedBundleReply[];

  @ApiProperty({ type: [DefinedProfileReply] })
  profiles!: DefinedProfileReply[];
}

/** The newest version of an offer as it was signed. */
export class SignedTermsReply {
  @ApiProperty({ example: 'ofr_0123456789abcdef0123456789abcdef' })
  offer_id!: string;

  @ApiProperty({ type: 'integer' })
  version!: number;

  @ApiProperty({ example: 'svc/demo@1' })
  model!: string;

  @ApiProperty()
  bundle!: string;

  @ApiProperty()
  profile!: string;

  @ApiProperty({ example: 'https://llm.example.com/v1' })
  endpoint!: string;

  @ApiProperty({ description: 'Whether a credential of the endpoint is kept; nobody is told which.' })
  has_credential!: boolean;

  @ApiProperty({ example: 'demo-8b-instruct' })
  upstream_model!: string;

  @ApiProperty({ description: 'Base units (10^-6 USDC) per million tokens.', example: '100000' })
  input_price_per_mtok!: string;

  @ApiProperty({ description: 'Base units (10^-6 USDC) per million tokens.', example: '400000' })
  output_price_per_mtok!: string;

  @ApiProperty({ type: 'integer' })
  concurrency!: number;

  @ApiProperty({ type: 'integer', description: 'Tokens.' })
  context_limit!: number;

  @ApiProperty({ type: 'integer' })
  first_token_timeout_ms!: number;

  @ApiProperty({ type: 'integer' })
  chunk_timeout_ms!: number;

  @ApiProperty({ type: 'integer', description: 'Unix seconds, as it was signed.', example: 1_798_000_000 })
  expires_at!: number;
}

@ApiExtraModels(ProviderStatusReply)
export class OwnProviderReply {
  @ApiProperty({
    oneOf: [{ $ref: getSchemaPath(ProviderStatusReply) }, { type: 'null' }],
    description: 'Null while the wallet is not registered.',
  })
  provider!: ProviderStatusReply | null;
}
