import { ApiProperty } from '@nestjs/swagger';

export class DomainFields {
  @ApiProperty({ example: 'svc supply' })
  name!: string;

  @ApiProperty({ example: '1' })
  version!: string;

  @ApiProperty({ type: 'integer', example: 31_337 })
  chainId!: number;

  @ApiProperty({ description: 'The settlement contract.', example: `0x${'5f'.repeat(20)}` })
  verifyingContract!: string;
}

export class SupplyLimits {
  @ApiProperty({ description: 'Base units (10^-6 USDC) per million tokens.', example: '1000000000000' })
  max_price_per_mtok!: string;

  @ApiProperty({ type: 'integer' })
  max_offers_per_provider!: number;

  @ApiProperty({ type: 'integer', description: 'How far ahead `expires_at` of an offer may be, seconds.' })
  max_offer_seconds!: number;

  @ApiProperty({
    type: 'integer',
    description: 'How long an access (`Authorization: Wallet`) may last, seconds.',
  })
  max_access_seconds!: number;

  @ApiProperty({ type: 'integer', description: 'Characters of an endpoint’s credential.' })
  max_credential_length!: number;
}

/** What a wallet needs to sign a provider's messages. */
export class SupplyTermsReply {
  @ApiProperty({
    type: DomainFields,
    description: 'The EIP-712 domain: a signature is good on this chain and for this contract alone.',
  })
  domain!: DomainFields;

  @ApiProperty({
    type: 'object',
    additionalProperties: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'type'],
        properties: { name: { type: 'string' }, type: { type: 'string' } },
      },
    },
    description:
      'EIP-712 types: `EIP712Domain`, and `Registration`, `Offer`, `Withdrawal`, `Access`, each a primary type of its own. Names ' +
      'are as they are signed; in the bodies of this API the same fields are written in snake case.',
    example: {
      EIP712Domain: [{ name: 'name', type: 'string' }],
      Withdrawal: [
        { name: 'provider', type: 'address' },
        { name: 'offerId', type: 'string' },
        { name: 'nonce', type: 'uint64' },
      ],
    },
  })
  types!: Record<string, { name: string; type: string }[]>;

  @ApiProperty({ type: SupplyLimits })
  limits!: SupplyLimits;

  @ApiProperty({
    description:
      'X25519 public key in base64url that credentials of endpoints rest sealed under. Providers send theirs as they are; operators seal them ' +
      'themselves.',
    example: 'JKixxlPSzHL8tGb4p7KkfxoUcwwWVmMHzjerqwo-dSM',
  })
  credential_public_key!: string;
}
