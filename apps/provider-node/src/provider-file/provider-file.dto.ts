import { EVM_ADDRESS, Fits, HTTP_URL } from '@svc/config';
import { Checked, Nested } from '@svc/validation';
import {
  ArrayMaxSize,
  IsArray,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';

const MOST_TOKENS = 100_000_000;

/** The field is an amount in base units: digits, as text or as a number that JSON carries exactly. */
function IsPrice(): PropertyDecorator {
  return Checked((value) => {
    const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
    if (typeof text === 'string' && /^(0|[1-9][0-9]{0,18})$/.test(text)) return undefined;
    return { path: '', message: 'must be base units (10^-6 USDC) per million tokens, in digits' };
  });
}

/** Whose offers these are. */
export class ProviderSection {
  @IsString()
  @Length(1, 80)
  name!: string;

  /** For the market's operators only. */
  @IsOptional()
  @IsString()
  @MaxLength(200)
  contact?: string;
}

/** Where the key is that signs; paths are relative to the file. SVC_PROVIDER_KEY goes first. */
export class WalletSection {
  /** A file that holds a private key in hex. */
  @IsOptional()
  @IsString()
  @Length(1, 4_096)
  key_file?: string;

  /** An encrypted key (Web3 Secret Storage). Its password: SVC_PROVIDER_PASSWORD, or asked for. */
  @IsOptional()
  @IsString()
  @Length(1, 4_096)
  keystore?: string;

  /** The provider, where it is a contract that takes the key's signatures (EIP-1271); the key's own address unless told. */
  @IsOptional()
  @Fits(EVM_ADDRESS)
  address?: string;
}

/** The chain and the contract that signatures are for: nothing is signed for others. */
export class ChainSection {
  @IsOptional()
  @IsInt()
  @Min(1)
  id?: number;

  @IsOptional()
  @Fits(EVM_ADDRESS)
  settlement?: string;

  /** A node of that chain; only claiming needs it. */
  @IsOptional()
  @Fits(HTTP_URL)
  rpc_url?: string;
}

export class UpstreamSection {
  @Fits(HTTP_URL)
  url!: string;

  @IsString()
  @Length(1, 200)
  model!: string;

  @IsOptional()
  @IsString()
  @MaxLength(512)
  api_key?: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  timeout_ms?: number;
}

/** What `svc-provider serve` runs. Variables of the environment go first (see provider-node.config.ts). */
export class NodeSection {
  @IsOptional()
  @IsString()
  host?: string;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(65_535)
  port?: number;

  /** Names it answers to. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  models?: string[];

  /** What callers must send; offers of it say the same as their `token`. */
  @IsOptional()
  @IsString()
  @Length(8, 512)
  token?: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  max_concurrent?: number;

  /** Speed of the demo engine. */
  @IsOptional()
  @Min(0)
  tokens_per_second?: number;

  @IsOptional()
  @IsInt()
  @Min(0)
  first_token_ms?: number;

  /** Forwards to an OpenAI-compatible server; without one the demo engine answers. */
  @IsOptional()
  @Nested(() => UpstreamSection)
  upstream?: UpstreamSection;
}

/** A build: one that the catalogue knows by its id, or what it is. */
export class BundleSection {
  @IsOptional()
  @IsString()
  @Length(1, 80)
  id?: string;

  @IsOptional()
  @IsString()
  @Length(1, 120)
  weights_digest?: string;

  @IsOptional()
  @IsString()
  @Length(1, 40)
  quantisation?: string;

  @IsOptional()
  @IsString()
  @Length(1, 80)
  engine?: string;
}

/** How it is run: likewise. */
export class ProfileSection {
  @IsOptional()
  @IsString()
  @Length(1, 80)
  id?: string;

  @IsOptional()
  @IsString()
  @Length(1, 80)
  hardware_class?: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MOST_TOKENS)
  context_limit?: number;

  @IsOptional()
  @IsString()
  @Length(1, 40)
  speed_tier?: string;
}

export class OfferSection {
  /** The provider's own word for it. */
  @Matches(/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/, { message: 'must be letters, digits, dots and dashes' })
  name!: string;

  @IsString()
  @Length(1, 120)
  model!: string;

  @Nested(() => BundleSection)
  bundle!: BundleSection;

  @Nested(() => ProfileSection)
  profile!: ProfileSection;

  @Fits(HTTP_URL)
  @MaxLength(300)
  endpoint!: string;

  @IsString()
  @Length(1, 200)
  upstream_model!: string;

  @IsOptional()
  @IsString()
  @Length(8, 1_000)
  token?: string;

  @IsPrice()
  input_price_per_mtok!: string | number;

  @IsPrice()
  output_price_per_mtok!: string | number;

  @IsInt()
  @Min(1)
  concurrency!: number;

  @IsInt()
  @Min(1)
  context_limit!: number;

  @IsOptional()
  @IsInt()
  first_token_timeout_ms?: number;

  @IsOptional()
  @IsInt()
  chunk_timeout_ms?: number;

  /** Signed anew when less than a third is left and `offer` is called. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(3_650)
  valid_days?: number;

  /** A moment instead. */
  @IsOptional()
  @IsISO8601({ strict: true })
  expires_at?: string;
}

/** A provider's file, as its author writes it. */
export class ProviderDocument {
  /** The marketplace's gateway. */
  @Fits(HTTP_URL)
  market!: string;

  @Nested(() => ProviderSection)
  provider!: ProviderSection;

  @IsOptional()
  @Nested(() => WalletSection)
  wallet?: WalletSection;

  @IsOptional()
  @Nested(() => ChainSection)
  chain?: ChainSection;

  @IsOptional()
  @Nested(() => NodeSection)
  node?: NodeSection;

  @IsArray()
  @ArrayMaxSize(1_000)
  @Nested(() => OfferSection, { each: true })
  offers!: OfferSection[];
}
