import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';
import { RefusedBodies, RefusedReads } from '../fields/refusals';

/** Documents that whoever is suspended may not do this. */
export function RefusedToSuspended(): MethodDecorator {
  return ApiResponse({
    status: 403,
    type: ErrorResponse,
    description: '`invalid_request`: the provider is suspended',
  });
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
