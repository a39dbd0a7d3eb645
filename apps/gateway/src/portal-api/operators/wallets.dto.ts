import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsWalletCursor, MAX_WALLET_PAGE } from '@svc/contracts';
import { Exact } from '@svc/validation';
import { IsOptional, Matches } from 'class-validator';
import { EXAMPLE_WALLET } from '../../fields/address';
import { IsWholeNumberText } from '../../http/whole-number-text';
import { USDC } from '../usdc';

const TEXT_OR_NULL = { oneOf: [{ type: 'string' }, { type: 'null' }] };

/** The query of the list of wallets: texts, as they stand in a URL. */
@Exact()
export class WalletsQuery {
  @ApiPropertyOptional({ description: 'How the address begins, in whatever case.', example: '0x70' })
  @IsOptional()
  @Matches(/^0x[0-9a-fA-F]{0,40}$/, { message: 'must be the beginning of an address, 0x and hex digits' })
  search?: string;

  @ApiPropertyOptional({ description: '`next` of the page before.' })
  @IsOptional()
  @IsWalletCursor()
  cursor?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_WALLET_PAGE, default: 50 })
  @IsOptional()
  @IsWholeNumberText(1, MAX_WALLET_PAGE)
  limit?: string;
}

export class WalletSuspensionReply {
  @ApiProperty({ ...TEXT_OR_NULL, description: 'UTC: since when an operator suspends it.' })
  suspended_at!: string | null;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'The operator’s.' })
  reason!: string | null;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'UTC: since when what it owes could not be pulled.' })
  pull_failed_at!: string | null;
}

@ApiExtraModels(WalletSuspensionReply)
export class WalletSummaryReply {
  @ApiProperty({ example: EXAMPLE_WALLET })
  wallet!: string;

  @ApiProperty({ description: 'UTC.' })
  registered_at!: string;

  @ApiProperty({ oneOf: [{ $ref: getSchemaPath(WalletSuspensionReply) }, { type: 'null' }] })
  suspension!: WalletSuspensionReply | null;

  @ApiProperty({ ...USDC, description: 'The lower of balance and approval, as the chain’s head shows them.' })
  limit_usdc!: string;

  @ApiProperty({ ...USDC, description: 'All it was ever charged, less what was given back.' })
  charged_usdc!: string;

  @ApiProperty(USDC)
  held_usdc!: string;

  @ApiProperty({ ...USDC, description: 'Charged and not collected; negative after a refund of what was.' })
  unsettled_usdc!: string;
}

/** Those that may not spend first, each part in the order of the addresses. */
export class WalletPageReply {
  @ApiProperty({ type: [WalletSummaryReply] })
  wallets!: WalletSummaryReply[];

  @ApiProperty({ ...TEXT_OR_NULL, description: '`cursor` of the next page.' })
  next!: string | null;
}
