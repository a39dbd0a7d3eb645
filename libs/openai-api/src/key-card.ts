import { ApiProperty } from '@nestjs/swagger';
import { BUDGET_RESETS } from '@svc/contracts';
import type { BudgetReset } from '@svc/contracts';

const USDC = { type: String, example: '1.250000', description: 'USDC, six decimals.' } as const;

export class KeyBudget {
  @ApiProperty({ ...USDC, description: 'The most the key may spend, in a period if it has a reset. USDC.' })
  cap_usdc!: string;

  @ApiProperty({
    oneOf: [{ type: 'string', enum: [...BUDGET_RESETS] }, { type: 'null' }],
    description:
      'When what is spent starts anew, UTC: at midnight, on Monday, on the first of the month; null is never.',
  })
  reset!: BudgetReset | null;

  @ApiProperty({ oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] })
  resets_at!: string | null;
}

/** What an API key may learn about itself (`GET /v1/key`). */
export class KeyCard {
  @ApiProperty({ example: 'key_0Nx3v5FYIqWd4Ea1' })
  id!: string;

  @ApiProperty({ enum: ['key'] })
  object!: 'key';

  @ApiProperty()
  name!: string;

  @ApiProperty({ description: 'The last four characters of its current value.' })
  last_four!: string;

  @ApiProperty({ description: 'The wallet that pays.' })
  wallet!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] })
  last_used_at!: string | null;

  @ApiProperty({
    oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }],
    description: 'Until when the value that the current one replaced still works.',
  })
  previous_expires_at!: string | null;

  @ApiProperty({
    oneOf: [{ $ref: '#/components/schemas/KeyBudget' }, { type: 'null' }],
    description: 'null: only the wallet limits it.',
  })
  budget!: KeyBudget | null;

  @ApiProperty({ ...USDC, description: 'Charged in this period of the budget; without a reset, ever. USDC.' })
  spent_usdc!: string;

  @ApiProperty({ ...USDC, description: 'Held by requests under way. USDC.' })
  held_usdc!: string;

  @ApiProperty({
    ...USDC,
    description:
      'What may still be held under it: the least of what budget, balance, approval and settlement leave. USDC.',
  })
  spendable_usdc!: string;
}
