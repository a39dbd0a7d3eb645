import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';

/** Documents how reads are refused. */
export function RefusedReads(): MethodDecorator {
  return applyDecorators(
    ApiResponse({
      status: 429,
      type: ErrorResponse,
      description: '`invalid_request`: too many requests from this address',
    }),
    ApiResponse({ status: 503, type: ErrorResponse, description: '`no_capacity`' }),
  );
}

/** Documents which bodies are not read. @param most how large they may be */
export function RefusedBodies(most = '64 KiB'): MethodDecorator {
  return applyDecorators(
    ApiResponse({ status: 413, type: ErrorResponse, description: `\`invalid_request\`: above ${most}` }),
    ApiResponse({ status: 415, type: ErrorResponse, description: '`invalid_request`: the body is not JSON' }),
  );
}
