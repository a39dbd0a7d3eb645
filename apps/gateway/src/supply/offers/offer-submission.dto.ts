import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsModelId, IsPlainText } from '@svc/contracts';
import { Nested } from '@svc/validation';
import { IsInt, IsOptional, IsString, Length, Matches, Max, MaxLength, Min } from 'class-validator';
import { IsCatalogId } from '../../fields/catalog-id';
import { IsPrice, SignedBody } from '../supply-fields';

/** The longest bearer token of an endpoint, characters. */
export const MAX_CREDENTIAL_LENGTH = 1_024;

/** One concrete build of a model; its id follows from its content and the model's. */
export class BundleContent {
  @ApiProperty({ maxLength: 120, example: 'sha256:0f3a' })
  @IsString()
  @MaxLength(120)
  @IsPlainText()
  weights_digest!: string;

  @ApiProperty({ maxLength: 40, example: 'q4_k_m' })
  @IsString()
  @MaxLength(40)
  @IsPlainText()
  quantisation!: string;

  @ApiProperty({ maxLength: 80, example: 'vllm 0.11' })
  @IsString()
  @MaxLength(80)
  @IsPlainText()
  engine!: string;
}

/** How a bundle is run; its id follows from its content. */
export class ProfileContent {
  @ApiProperty({ maxLength: 80, example: '1x-l40s' })
  @IsString()
  @MaxLength(80)
  @IsPlainText()
  hardware_class!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 100_000_000,
    description: 'Tokens.',
    example: 32_768,
  })
  @IsInt()
  @Min(1)
  @Max(100_000_000)
  context_limit!: number;

  @ApiProperty({ maxLength: 40, example: 'standard' })
  @IsString()
  @MaxLength(40)
  @IsPlainText()
  speed_tier!: string;
}

/** What a provider offers. All but `credential` and the definitions is what the wallet signed (EIP-712, `Offer`). */
export class OfferSubmission extends SignedBody {
  @ApiProperty({ example: 'svc/demo@1' })
  @IsModelId()
  model!: string;

  @ApiProperty({ description: 'Id of the bundle.', example: 'bnd_0123456789abcdef0123456789abcdef' })
  @IsCatalogId()
  bundle!: string;

  @ApiProperty({ description: 'Id of the profile.', example: 'prf_0123456789abcdef0123456789abcdef' })
  @IsCatalogId()
  profile!: string;

  @ApiProperty({
    maxLength: 300,
    description:
      'Base URL of an OpenAI-compatible server, up to and including `/v1`. Never shown to anybody.',
    example: 'https://llm.example.com/v1',
  })
  @Matches(/^https?:\/\/[^\s/]+/, { message: 'must be an http or https URL' })
  @MaxLength(300)
  @IsPlainText()
  endpoint!: string;

  @ApiProperty({
    minLength: 1,
    maxLength: 200,
    description: 'The model’s name on that server.',
    example: 'demo-8b-instruct',
  })
  @IsString()
  @Length(1, 200)
  @IsPlainText()
  upstream_model!: string;

  @ApiProperty({ description: 'Base units (10^-6 USDC) per million tokens.', example: '100000' })
  @IsPrice()
  input_price_per_mtok!: string;

  @ApiProperty({ description: 'Base units (10^-6 USDC) per million tokens.', example: '400000' })
  @IsPrice()
  output_price_per_mtok!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 512,
    description: 'Requests at once; certified is what held.',
    example: 8,
  })
  @IsInt()
  @Min(1)
  @Max(512)
  concurrency!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 100_000_000,
    description: 'Tokens of input and output together.',
    example: 32_768,
  })
  @IsInt()
  @Min(1)
  @Max(100_000_000)
  context_limit!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 500,
    maximum: 120_000,
    description: 'How long the first token may take.',
    example: 10_000,
  })
  @IsInt()
  @Min(500)
  @Max(120_000)
  first_token_timeout_ms!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 500,
    maximum: 120_000,
    description: 'How long the silence between chunks may be.',
    example: 5_000,
  })
  @IsInt()
  @Min(500)
  @Max(120_000)
  chunk_timeout_ms!: number;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Unix seconds: when the offer ends by itself.',
    example: 1_798_000_000,
  })
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  expires_at!: number;

  @ApiPropertyOptional({
    maxLength: MAX_CREDENTIAL_LENGTH,
    description:
      'The endpoint’s bearer token, if it wants one. It is encrypted on arrival so that only the service that calls the endpoint can read it. ' +
      'At least 8 characters. Without this field the one given before stays, for the same endpoint; an empty one takes it away.',
    example: 'sk-of-the-endpoint',
  })
  @IsOptional()
  // Shorter ones could not be kept out of public reports without mangling them.
  @Matches(/^(?:[\x21-\x7e]{8,})?$/, {
    message: 'must be at least 8 printable ASCII characters without blanks',
  })
  @MaxLength(MAX_CREDENTIAL_LENGTH)
  credential?: string;

  @ApiPropertyOptional({
    type: () => BundleContent,
    description:
      'Defines the bundle, if the catalogue does not know it: `bundle` is the id of this content, which is `bnd_` and the first 32 digits ' +
      'of the SHA-256, in hex, of the JSON text of `[model, weights_digest, quantisation, engine]`, without blanks.',
  })
  @IsOptional()
  @Nested(() => BundleContent)
  bundle_definition?: BundleContent;

  @ApiPropertyOptional({
    type: () => ProfileContent,
    description:
      'Defines the profile, if the catalogue does not know it: `profile` is the id of this content, which is `prf_` and the first 32 digits ' +
      'of the SHA-256, in hex, of the JSON text of `[hardware_class, context_limit, speed_tier]`, all as texts, without blanks.',
  })
  @IsOptional()
  @Nested(() => ProfileContent)
  profile_definition?: ProfileContent;
}

/** Takes an offer off the market. What is signed is `Withdrawal`, with the offer's id from the path. */
export class OfferWithdrawal extends SignedBody {}
