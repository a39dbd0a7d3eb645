import { Checked } from '@svc/validation';
import { IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { every } from '../every';
import { IsUtcTime, isBefore } from '../utc-time';

/** The longest page that any statement has. */
export const MAX_STATEMENT_PAGE = 500;

/** What sums are made by, in UTC. */
export const TIME_UNITS = ['hour', 'day', 'month'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

export function isTimeUnit(value: unknown): value is TimeUnit {
  return (TIME_UNITS as readonly unknown[]).includes(value);
}

/** What happened in some time: all of it, narrowed down by what is given. */
export class TimeSelection {
  /** The first moment, UTC, e.g. `2026-11-21T06:00:00Z`. */
  @IsOptional()
  @IsUtcTime()
  from?: string;

  /** The first moment after; later than `from`. */
  @IsOptional()
  @IsUtcTime()
  @Checked(laterThanFrom)
  to?: string;
}

/** The field is where a page ended, as the reply before said it. */
export function IsPageCursor(): PropertyDecorator {
  return every(
    IsOptional(),
    Matches(/^[A-Za-z0-9_-]{1,1000}$/, { message: 'must be the `next` of the page before' }),
  );
}

/** The field is how many lines a page may have. */
export function IsPageLimit(): PropertyDecorator {
  return every(IsOptional(), IsInt(), Min(1), Max(MAX_STATEMENT_PAGE));
}

function laterThanFrom(to: unknown, object: object) {
  const { from } = object as { from?: unknown };
  return isBefore(to, from) ? { path: '', message: 'must be later than from' } : undefined;
}
