import type { HealthReport, OfferHealthReport } from '@svc/contracts';
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

class OfferHealthMessage implements OfferHealthReport {
  @IsString()
  @Length(1, 80)
  offerId!: string;

  @IsInt()
  @Min(0)
  @Max(MOST)
  succeeded!: number;

  @IsInt()
  @Min(0)
  @Max(MOST)
  failed!: number;

  @IsInt()
  @Min(0)
  @Max(MOST)
  inFlight!: number;

  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(MOST)
  firstTokenMs?: number;
}

/** The rules of a health report that came over the wire. */
export class HealthReportMessage implements HealthReport {
  @IsString()
  @Length(1, 64)
  instanceId!: string;

  @IsArray()
  @ArrayMaxSize(20_000)
  @Nested(() => OfferHealthMessage, { each: true })
  offers!: OfferHealthMessage[];
}
