import { ApiProperty } from '@nestjs/swagger';
import { IsSignature, MAX_SIGNED_MESSAGE } from '@svc/contracts';
import { IsString, Length } from 'class-validator';

/** A message of Sign-In with Ethereum (EIP-4361), and what the wallet made of it with `personal_sign`. */
export class SignInBody {
  @ApiProperty({
    minLength: 1,
    maxLength: MAX_SIGNED_MESSAGE,
    description:
      'Domain and URI are the page’s, chain ID that of `GET /portal/api/config`, the nonce that of `POST /portal/api/session/nonce`; in the ' +
      'one exact form that EIP-4361 gives it, the address with its checksum (EIP-55), times as `toISOString` writes them.',
  })
  @IsString()
  @Length(1, MAX_SIGNED_MESSAGE)
  message!: string;

  @ApiProperty({
    description: 'Hexadecimal: of an account’s key, or what a contract wallet takes (EIP-1271).',
  })
  @IsSignature()
  signature!: string;
}

export class NonceReply {
  @ApiProperty({ description: 'For one sign-in, from the browser that asked.' })
  nonce!: string;

  @ApiProperty({ format: 'date-time' })
  expires_at!: string;
}
