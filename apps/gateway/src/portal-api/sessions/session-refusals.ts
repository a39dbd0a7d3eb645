import { applyDecorators } from '@nestjs/common';
import { ApiCookieAuth, ApiResponse } from '@nestjs/swagger';
import { SvcError, invalidRequest, notFound } from '@svc/errors';
import { ErrorResponse } from '@svc/openai-api';

/** The same words for a session that is missing, malformed, forged, ended or signed out. */
export function noSession(): SvcError {
  return new SvcError({
    code: 'invalid_api_key',
    message: 'Sign in with your wallet: there is no session, or it has ended.',
  });
}

/** The same words for a session that has ended, that never was, and that is another wallet's. */
export function noSuchSession(): SvcError {
  return notFound('The wallet has no such session; it may have ended.', 'id');
}

/** A write that did not come from the portal's own page. @param origin where that is */
export function foreignOrigin(origin: string): SvcError {
  return invalidRequest(
    `This can be done from the portal’s own page only: ${origin}/portal/.`,
    'origin',
    403,
  );
}

/** It came from the portal's own page, and through a proxy that does not hand its host on. */
export function otherHost(): SvcError {
  return invalidRequest(
    'The gateway was asked under another Host than the page’s: the proxy in front of it has to hand Host on.',
    'origin',
    403,
  );
}

export function noOrigins(): SvcError {
  return invalidRequest(
    'Nobody can sign in here: the gateway was started without PORTAL_ORIGINS.',
    'origin',
    403,
  );
}

export function wrongCsrfToken(): SvcError {
  return invalidRequest(
    'Send the session’s csrf_token (GET /portal/api/session) in the header x-svc-csrf.',
    'x-svc-csrf',
    403,
  );
}

/** Documents what every route of the portal answers that needs a session. */
export function NeedsSession(): ClassDecorator & MethodDecorator {
  return applyDecorators(
    ApiCookieAuth('session'),
    ApiResponse({ status: 401, type: ErrorResponse, description: '`invalid_api_key`: nobody is signed in' }),
    ApiResponse({
      status: 403,
      type: ErrorResponse,
      description:
        '`invalid_request`: not from the portal’s page, without its `x-svc-csrf`, or not for this wallet',
    }),
    ApiResponse({
      status: 429,
      type: ErrorResponse,
      description: '`invalid_request`: too many requests from this address',
    }),
    ApiResponse({
      status: 503,
      type: ErrorResponse,
      description: '`no_capacity`: a part of the service cannot be asked now',
    }),
  );
}
