import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';

/** Documents how reads on the routes of supply are refused. */
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

/** Documents that whoever is suspended may not do this. */
export function RefusedToSuspended(): MethodDecorator {
  return ApiResponse({
    status: 403,
    type: ErrorResponse,
    description: '`invalid_request`: the provider is suspended',
  });
}

/** Documents which bodies are not read. @param most how large they may be */
export function RefusedBodies(most = '64 KiB'): MethodDecorator {
  return applyDecorators(
    ApiResponse({ status: 413, type: ErrorResponse, description: `\`invalid_request\`: above ${most}` }),
    ApiResponse({ status: 415, type: ErrorResponse, description: '`invalid_request`: the body is not JSON' }),
  );
}

/** Documents how an act of a provider is refused. */
export function RefusedWrites(): MethodDecorator {
  return applyDecorators(
    ApiResponse({
      status: 400,
      type: ErrorResponse,
      description:
        '`invalid_request`; `param` is the field: one that does not fit, `signature` when it is not the provider’s',
    }),
    ApiResponse({
      status: 409,
      type: ErrorResponse,
      description: '`invalid_request`, `param` is `nonce`: it was used, or is below one that was',
    }),
    RefusedBodies(),
    RefusedReads(),
  );
}
