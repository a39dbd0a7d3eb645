import { ApiProperty } from '@nestjs/swagger';
import { TIME_UNITS } from '@svc/contracts';
import type { TimeUnit } from '@svc/contracts';
import { USAGE_SERIES } from './usage-query.dto';

const MAYBE_TEXT = { oneOf: [{ type: 'string' }, { type: 'null' }] };
const MAYBE_COUNT = { oneOf: [{ type: 'integer' }, { type: 'null' }] };

/** Figures of some requests. */
export class UsageFigures {
  @ApiProperty({ type: 'integer', description: 'That were served.' })
  requests!: number;

  @ApiProperty({
    type: 'integer',
    description: 'That were admitted and failed; those whose client left by itself are not among them.',
  })
  errors!: number;

  @ApiProperty({ type: 'integer' })
  prompt_tokens!: number;

  @ApiProperty({ type: 'integer' })
  completion_tokens!: number;

  @ApiProperty({ example: '0.000450', description: 'USDC with six decimals; refunds are not taken off.' })
  charged_usdc!: string;

  @ApiProperty({
    ...MAYBE_COUNT,
    description: 'Mean, milliseconds, of the requests of which it is known; null without any.',
  })
  first_token_ms!: number | null;

  @ApiProperty({
    ...MAYBE_COUNT,
    description: 'Mean, milliseconds, to the end of the reply.',
  })
  total_ms!: number | null;
}

/** One line of a chart. */
export class UsageSeries {
  @ApiProperty({
    enum: ['one', 'others', 'nobody', 'all'],
    description:
      '`one` value of what was asked by; `others`: all but those that cost most; `nobody`: what no provider served; `all`: asked ' +
      'by nothing.',
  })
  kind!: 'one' | 'others' | 'nobody' | 'all';

  @ApiProperty({
    ...MAYBE_TEXT,
    description: 'Of `one`: the model, key or provider.',
    example: 'svc/demo@1',
  })
  value!: string | null;

  @ApiProperty({ type: UsageFigures })
  totals!: UsageFigures;

  @ApiProperty({ type: () => [UsageFigures], description: 'One for each of `times`.' })
  figures!: UsageFigures[];
}

export class UsageSummaryReply {
  @ApiProperty({ enum: ['usage_summary'] })
  object!: 'usage_summary';

  @ApiProperty({ description: 'The first hour, UTC.', example: '2026-11-01T00:00:00Z' })
  from!: string;

  @ApiProperty({ description: 'The first hour after, UTC.', example: '2026-12-01T00:00:00Z' })
  to!: string;

  @ApiProperty({
    enum: TIME_UNITS,
    description: 'Hours up to three days, days up to a hundred, months beyond; all in UTC.',
  })
  unit!: TimeUnit;

  @ApiProperty({ oneOf: [{ type: 'string', enum: [...USAGE_SERIES] }, { type: 'null' }] })
  by!: (typeof USAGE_SERIES)[number] | null;

  @ApiProperty({ type: [String], description: 'When each hour, day or month begins, without gaps.' })
  times!: string[];

  @ApiProperty({
    type: () => [UsageSeries],
    description: 'Those that cost most first; `others` and `nobody` last.',
  })
  series!: UsageSeries[];

  @ApiProperty({ type: UsageFigures })
  totals!: UsageFigures;
}
