import { Nested } from '@svc/validation';
import {
  ArrayMaxSize,
  IsArray,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
} from 'class-validator';

const MOST = 1_000_000_000;

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

/** One dispatch instance's report (`DISPATCH_SUBJECTS.health`). */
export class HealthReport {
  @IsString()
  @Length(1, 64)
  instanceId!: string;

  @IsArray()
  @ArrayMaxSize(20_000)
  @Nested(() => OfferHealthReport, { each: true })
  offers!: OfferHealthReport[];
}
