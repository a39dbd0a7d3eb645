import { UseGuards, UseInterceptors, applyDecorators } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import { ErrorResponse } from '@svc/openai-api';
import { SafeJsonInterceptor } from '../../http/safe-json.interceptor';
import { OperatorGuard } from '../sessions/operator.guard';
import { PortalSessionGuard } from '../sessions/portal-session.guard';
import { NeedsSession } from '../sessions/session-refusals';

/** A controller for those whose wallet is on the list of operators; for everybody else it is not there. */
export function OperatorsOnly(): ClassDecorator {
  return applyDecorators(
    ApiTags('Portal'),
    NeedsSession(),
    ApiResponse({
      status: 404,
      type: ErrorResponse,
      description: '`invalid_request`: what is named is not there; all of it, for whoever is no operator',
    }),
    UseGuards(PortalSessionGuard, OperatorGuard),
    UseInterceptors(SafeJsonInterceptor),
  );
}
