import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsPageCursor } from '@svc/contracts';
import { Exact } from '@svc/validation';
import { IsOptional } from 'class-validator';
import { IsWholeNumberText } from '../http/whole-number-text';

const MOST_LINES = 100;

/** Which page of a list is asked for: texts, as they stand in a URL. Exact, as every query: a filter that is mistyped would be left out. */
@Exact()
export class PageQuery {
  @ApiPropertyOptional({ description: '`next` of the page before.' })
  @IsPageCursor()
  cursor?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MOST_LINES, description: 'Lines a page.' })
  @IsOptional()
  @IsWholeNumberText(1, MOST_LINES)
  limit?: string;
}

/** The page as the services take it. */
export function pageRequestOf({ cursor, limit }: PageQuery): { cursor?: string; limit?: number } {
  return {
    ...(cursor !== undefined && { cursor }),
    ...(limit !== undefined && { limit: Number(limit) }),
  };
}
