import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BUDGET_RESETS, IsPlainText, MAX_ROTATION_OVERLAP_SECONDS } from '@svc/contracts';
import { isUsdc, parseUsdc } from '@svc/money';
import { KeyBudget, KeyCard } from '@svc/openai-api';
import { Exact } from '@svc/validation';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateBy,
} from 'class-validator';

const RESETS = ['never', ...BUDGET_RESETS] as const;
type Reset = (typeof RESETS)[number];

const NAME = { minLength: 1, maxLength: 80, example: 'My laptop' } as const;
const CAP = {
  example: '25.00',
  description:
    'The most the key may spend, in a period if it has a reset: USDC above 0, with at most six decimals.',
} as const;
const RESET = {
  enum: RESETS,
  description: 'When what is spent starts anew, UTC: at midnight, on Monday, on the first of the month.',
} as const;

const OVERLAP = `must be a whole number of seconds from 0 to ${MAX_ROTATION_OVERLAP_SECONDS}, which is 30 days`;

/** The field is a cap: an amount in USDC above 0. */
function IsCap(): PropertyDecorator {
  return ValidateBy({
    name: 'isCap',
    validator: {
      validate: (value) => isUsdc(value) && parseUsdc(value) > 0n,
      defaultMessage: () =>
        'must be an amount in USDC above 0 such as "25.00", with at most six decimals, at most 9223372036854.775807',
    },
  });
}

/** The field is a key's name. */
function IsName(): PropertyDecorator {
  return (target, property) => {
    Matches(/\S/, { message: 'must not be blank' })(target, property);
    IsPlainText()(target, property);
    Length(1, 80, { message: 'must have 1 to 80 characters' })(target, property);
    IsString()(target, property);
  };
}

/** What makes a request for a new value one of its own: a repeat has the same and gets the same value, in the same session. */
class ValueRequest {
  @ApiProperty({
    description:
      'Made at random for each value that is wanted. The same request with the same token, in the same session, has the same reply: a ' +
      'retry makes no second key.',
    example: '3f1c8a52-9d0b-4b7e-8f61-2b8a1c0d9e47',
  })
  @Matches(/^[A-Za-z0-9_-]{16,64}$/, { message: 'must be 16 to 64 random letters, digits, "-" or "_"' })
  request_token!: string;
}

/** A budget under a mistyped name would be none. */
@Exact()
export class KeyCreation extends ValueRequest {
  @ApiProperty(NAME)
  @IsName()
  name!: string;

  @ApiPropertyOptional(CAP)
  @IsOptional()
  @IsCap()
  budget_usdc?: string;

  @ApiPropertyOptional({ ...RESET, default: 'never' })
  @IsOptional()
  @IsIn(RESETS)
  budget_reset?: Reset;
}

/** Changes what is given and leaves the rest. */
@Exact()
export class KeyChange {
  @ApiPropertyOptional(NAME)
  @IsOptional()
  @IsName()
  name?: string;

  @ApiPropertyOptional(CAP)
  @IsOptional()
  @IsCap()
  budget_usdc?: string;

  @ApiPropertyOptional(RESET)
  @IsOptional()
  @IsIn(RESETS)
  budget_reset?: Reset;

  @ApiPropertyOptional({ description: 'Takes the budget away; not together with the two before.' })
  @IsOptional()
  @IsBoolean()
  remove_budget?: boolean;

  @ApiPropertyOptional({ description: 'A disabled key is refused until it is enabled again.' })
  @IsOptional()
  @IsBoolean()
  disabled?: boolean;
}

@Exact()
export class KeyRotation extends ValueRequest {
  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: MAX_ROTATION_OVERLAP_SECONDS,
    description: 'How long the value before works on, seconds; no value before that one works longer.',
    example: 3_600,
  })
  @IsInt({ message: OVERLAP })
  @Min(0, { message: OVERLAP })
  @Max(MAX_ROTATION_OVERLAP_SECONDS, { message: OVERLAP })
  overlap_seconds!: number;
}

/** A key's value. It is in this reply and in no other: nobody keeps it. */
export class KeyValue {
  @ApiProperty({ example: 'key_0Nx3v5FYIqWd4Ea1' })
  id!: string;

  @ApiProperty({ description: 'The API key itself.', example: 'svc_test_…' })
  value!: string;

  @ApiProperty({ description: 'Its last four characters, by which it is told from others later.' })
  last_four!: string;
}

export class WalletKey extends KeyCard {
  @ApiProperty({ enum: ['active', 'disabled', 'revoked'] })
  state!: 'active' | 'disabled' | 'revoked';

  @ApiProperty({
    enum: ['api', 'playground'],
    description:
      '`playground`: it pays for the playground, and has no value that anybody could use or replace.',
  })
  purpose!: 'api' | 'playground';
}

@ApiExtraModels(KeyBudget)
export class WalletKeyList {
  @ApiProperty({ type: [WalletKey], description: 'The newest first, those that are revoked included.' })
  keys!: WalletKey[];
}
