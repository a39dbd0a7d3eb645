import { ApiProperty } from '@nestjs/swagger';
import { IsPlainText } from '@svc/contracts';
import { IsString, Length, MaxLength } from 'class-validator';
import { SignedBody } from '../supply-fields';

/** A provider joins, or changes its name. All of it is what the wallet signed (EIP-712, `Registration`). */
export class ProviderRegistration extends SignedBody {
  @ApiProperty({ minLength: 1, maxLength: 80, example: 'Example Compute' })
  @IsString()
  @Length(1, 80)
  @IsPlainText()
  name!: string;

  @ApiProperty({
    maxLength: 200,
    description: 'How operators reach the provider; shown to nobody else. May be empty.',
    example: 'ops@example.com',
  })
  @IsString()
  @MaxLength(200)
  @IsPlainText()
  contact!: string;
}
