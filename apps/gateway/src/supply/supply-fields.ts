import { ApiProperty } from '@nestjs/swagger';
import { IsSignature, MAX_PRICE_PER_MTOK } from '@svc/contracts';
import { isBaseUnits } from '@svc/money';
import { IsInt, Max, Min, ValidateBy } from 'class-validator';
import { EXAMPLE_WALLET, IsAddress } from '../fields/address';

/** The field is a price, base units per million tokens, as a string of digits. */
export function IsPrice(): PropertyDecorator {
  return ValidateBy({
    name: 'isPrice',
    validator: {
      validate: (value) => isBaseUnits(value) && BigInt(value) <= MAX_PRICE_PER_MTOK,
      defaultMessage: () =>
        `must be a string of digits, base units per million tokens, at most ${MAX_PRICE_PER_MTOK}`,
    },
  });
}

/** What every act of a provider is signed with (EIP-712; `GET /v1/supply/terms` tells domain and types). */
export class SignedBody {
  @ApiProperty({ description: 'The provider’s wallet, which signed. Any case.', example: EXAMPLE_WALLET })
  @IsAddress()
  provider!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Above every nonce that the provider used before; the time in milliseconds will do.',
    example: 1_795_248_000_000,
  })
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  nonce!: number;

  @ApiProperty({
    description:
      'Of the EIP-712 message, in hex: 65 bytes of an account’s key, or what a contract wallet takes (EIP-1271).',
    example: `0x${'1c'.repeat(65)}`,
  })
  @IsSignature()
  signature!: string;
}

/** The part of a message that every act has, as the catalogue takes it. */
export function signedPart({ provider, nonce, signature }: SignedBody): SignedBody {
  return { provider: provider.toLowerCase(), nonce, signature };
}
