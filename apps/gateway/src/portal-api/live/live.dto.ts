import { ApiProperty } from '@nestjs/swagger';
import { USAGE_OUTCOMES } from '@svc/contracts';
import type { UsageOutcome } from '@svc/contracts';
import { USDC } from '../usdc';

export type { WalletPositionReply } from '../wallet/position.dto';

/** The data of a `usage` event: requests have ended since the last one; lists and sums of usage have them. */
export class LatestUsage {
  @ApiProperty({ description: 'The newest of them.' })
  request_id!: string;

  @ApiProperty({ enum: USAGE_OUTCOMES })
  outcome!: UsageOutcome;

  @ApiProperty({ description: 'UTC with microseconds.', example: '2026-11-21T06:00:00.000000Z' })
  created_at!: string;

  @ApiProperty({ example: 'svc/demo@1' })
  model!: string;

  @ApiProperty({ ...USDC, description: 'What it cost.' })
  cost_usdc!: string;

  @ApiProperty({ ...USDC, description: 'All that the wallet was ever charged.' })
  charged_usdc!: string;
}
