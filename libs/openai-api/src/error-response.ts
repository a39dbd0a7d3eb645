import { ApiProperty } from '@nestjs/swagger';
import { ERROR_CODES } from '@svc/errors';
import type { ErrorBody, ErrorCode, ErrorType } from '@svc/errors';

export class ErrorDetail {
  @ApiProperty({ description: 'For people; the wording may change.' })
  message!: string;

  @ApiProperty({ enum: ['invalid_request_error', 'insufficient_quota', 'server_error'] })
  type!: ErrorType;

  @ApiProperty({ enum: Object.keys(ERROR_CODES), description: 'Stable; branch on this.' })
  code!: ErrorCode;

  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'null' }],
    description: 'JSON path of the offending field.',
  })
  param!: string | null;
}

/** The body of every error (spec section 2.4). */
export class ErrorResponse implements ErrorBody {
  @ApiProperty({ type: () => ErrorDetail })
  error!: ErrorDetail;
}
