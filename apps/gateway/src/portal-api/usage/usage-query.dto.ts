import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsModelId, IsPageCursor, IsUtcTime, USAGE_OUTCOMES } from '@svc/contracts';
import type { UsageOutcome } from '@svc/contracts';
import { Exact } from '@svc/validation';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { EXAMPLE_WALLET } from '../../fields/address';
import { oneOfWords } from '../../http/query-words';
import { IsWholeNumberText } from '../../http/whole-number-text';

/** The longest page of requests. */
const MOST_REQUESTS = 100;

export const USAGE_SERIES = ['model', 'key', 'provider'] as const;

/**
 * Which of the wallet's requests are meant: texts, as they stand in a URL. Queries that have it are exact: a filter that is mistyped would
 * be left out without a word.
 */
export class UsageFilter {
  @ApiPropertyOptional({ description: 'The first moment, UTC.', example: '2026-11-01T00:00:00Z' })
  @IsOptional()
  @IsUtcTime()
  from?: string;

  @ApiPropertyOptional({ description: 'The first moment after, UTC.', example: '2026-12-01T00:00:00Z' })
  @IsOptional()
  @IsUtcTime()
  to?: string;

  @ApiPropertyOptional({ description: 'The id of an API key.', example: 'key_0123456789' })
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{1,80}$/, { message: 'must be the id of a key' })
  key?: string;

  @ApiPropertyOptional({ example: 'svc/demo@1' })
  @IsOptional()
  @IsModelId()
  model?: string;

  @ApiPropertyOptional({ description: 'The address that served.', example: EXAMPLE_WALLET })
  @IsOptional()
  @Matches(/^0x[0-9a-fA-F]{40}$/, { message: 'must be an address' })
  provider?: string;
}

/** As `UsageFilter`, of sums; moments are taken to the whole hours around them. */
@Exact()
export class UsageSummaryQuery extends UsageFilter {
  @ApiPropertyOptional({
    ...oneOfWords(USAGE_SERIES),
    description: 'What the series are; absent for one series of all.',
  })
  @IsOptional()
  @IsIn(USAGE_SERIES)
  by?: (typeof USAGE_SERIES)[number];
}

@Exact()
export class UsageExportQuery extends UsageFilter {
  @ApiPropertyOptional({ ...oneOfWords(USAGE_OUTCOMES), description: 'Both unless told.' })
  @IsOptional()
  @IsIn(USAGE_OUTCOMES)
  outcome?: UsageOutcome;
}

@Exact()
export class UsageListQuery extends UsageExportQuery {
  @ApiPropertyOptional({ description: '`next` of the page before.' })
  @IsPageCursor()
  cursor?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MOST_REQUESTS, default: 50 })
  @IsOptional()
  @IsWholeNumberText(1, MOST_REQUESTS)
  limit?: string;
}
