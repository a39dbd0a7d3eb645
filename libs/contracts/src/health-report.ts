import { Nested } from '@svc/validation';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
} from 'class-validator';

/** Each dispatch instance reports so often, of the offers with traffic: who is heard of after longer was idle meanwhile. */
export const HEALTH_REPORT_MS = 1_000;

const MOST = 1_000_000_000;
/** So many wallets are told apart in one report of an offer: a few say enough. */
export const MOST_WALLET_TAGS = 4;
/**
 * Text has 3 to 5 UTF-8 bytes a token in all common scripts and with all common tokenizers. Who claims more tokens than one for each
 * of so few bytes, over many replies, counts what is not there. Single replies may: digits and rare characters are a token each.
 */
export const LEAST_BYTES_PER_TOKEN = 1.8;

/** What happened on one offer since the last report of one dispatch instance. */
export class OfferHealthReport {
  @IsString()
  @Length(1, 80)
  offerId!: string;

  @IsInt()
  @Min(0)
  @Max(MOST)
  succeeded!: number;

  /** Failed attempts: refused, timed out, broken or invalid output. */
  @IsInt()
  @Min(0)
  @Max(MOST)
  failed!: number;

  /** Of the failed, those that answered with what must not be delivered. */
  @IsInt()
  @Min(0)
  @Max(MOST)
  invalid!: number;

  /**
   * Of the failed, those that no request can bring an honest server to. What a request can is for ranking only: clients choose
   * their requests, and failures cost them nothing. Absent: none, like all that follows.
   */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MOST)
  blamed?: number;

  /** Of the blamed, those that answered with what must not be delivered. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MOST)
  blamedInvalid?: number;

  /** Whose requests the blamed were, as tags that tell wallets apart and name none; some of them where they are many. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MOST_WALLET_TAGS)
  @Length(1, 64, { each: true })
  @IsString({ each: true })
  blamedBy?: string[];

  /** Replies that came with a usage. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MOST)
  claims?: number;

  /** Completion tokens that these claim, without those that leave no bytes, and the bytes that were written. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  claimedTokens?: number;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  outputBytes?: number;

  /** Whose replies claim more than a token for each `LEAST_BYTES_PER_TOKEN`; tags as above. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MOST_WALLET_TAGS)
  @Length(1, 64, { each: true })
  @IsString({ each: true })
  inflatedBy?: string[];

  /** Something came of the model since the last report: whoever writes is alive. */
  @IsOptional()
  @IsBoolean()
  progressed?: boolean;

  @IsInt()
  @Min(0)
  @Max(MOST)
  inFlight!: number;

  /** Mean time to the first token in ms over the successes; absent without any. */
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(MOST)
  firstTokenMs?: number;

  /** Mean speed after the first token over the successes; absent where none was long enough to tell. */
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(MOST)
  tokensPerSecond?: number;
}

/** So many offers go into one message: below what any NATS server takes. */
export const MOST_OFFERS_A_REPORT = 1_000;

/** One dispatch instance's report (`DISPATCH_SUBJECTS.health`), or a part of it. */
export class HealthReport {
  @IsString()
  @Length(1, 64)
  instanceId!: string;

  @IsArray()
  @ArrayMaxSize(20_000)
  @Nested(() => OfferHealthReport, { each: true })
  offers!: OfferHealthReport[];

  /** Goes on with what was said just before; else offers that are left out have nothing in flight there. */
  @IsOptional()
  @IsBoolean()
  continues?: boolean;
}
