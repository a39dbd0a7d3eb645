import { ApiResponse } from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';

/** Documents what a route answers that takes an API key, where too many came that are none. */
export function TooManyUnknownKeys(): MethodDecorator {
  return ApiResponse({
    status: 429,
    type: ErrorResponse,
    description: '`invalid_request`: too many requests with unknown keys came from this address',
  });
}
