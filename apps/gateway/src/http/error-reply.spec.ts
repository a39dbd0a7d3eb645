import { ERROR_CODES, internalError, invalidRequest, modelNotFound, noCapacity } from '@svc/errors';
import type { ErrorCode } from '@svc/errors';
import { BadRequestException, HttpException } from '@nestjs/common';
import { RpcUnavailableError } from '@svc/messaging';
import { retryAfterOf, statusOf } from './error-reply';
import { toPayload } from './to-payload';

describe('the status of an error', () => {
  it.each(Object.entries(ERROR_CODES))('is the table’s for %s', (code, { status }) => {
    expect(statusOf({ code: code as ErrorCode, message: '' })).toBe(status);
  });

  it('is the error’s own where it names one, and never a success', () => {
    expect(statusOf(invalidRequest('', undefined, 413).payload)).toBe(413);
    for (const status of [200, 399, 600, 404.5, Number.NaN]) {
      expect(statusOf({ code: 'invalid_request', message: '', status })).toBe(400);
    }
  });
});

describe('Retry-After', () => {
  it.each<[number | undefined, number]>([
    [undefined, 5],
    [0, 1],
    [1.2, 2],
    [12, 12],
    [900, 30],
  ])('is whole seconds from 1 to 30: %s', (given, sent) => {
    expect(retryAfterOf({ code: 'no_capacity', message: '', retryAfterSeconds: given })).toBe(sent);
  });

  it('is sent where the table says so only', () => {
    expect(retryAfterOf({ code: 'provider_output_invalid', message: '' })).toBe(1);
    expect(retryAfterOf(internalError().payload)).toBeUndefined();
    expect(retryAfterOf(modelNotFound('x').payload)).toBeUndefined();
  });
});

describe('what a client learns of an error', () => {
  it.each<[string, unknown, object]>([
    ['an error of ours', noCapacity('x', 3), { code: 'no_capacity', retryAfterSeconds: 3 }],
    ['an unreachable service', new RpcUnavailableError('billing.v1.x', 'timeout'), { code: 'no_capacity' }],
    [
      'a framework’s refusal',
      new HttpException('Payload too large', 413),
      { code: 'invalid_request', status: 413 },
    ],
    ['another', new BadRequestException('internal words'), { code: 'invalid_request', status: 400 }],
    ['a framework’s failure', new HttpException('x', 502), { code: 'internal_error' }],
    ['anything else', new TypeError('secret'), { code: 'internal_error' }],
    ['no error at all', 'secret', { code: 'internal_error' }],
  ])('of %s', (_, error, expected) => {
    const payload = toPayload(error);
    expect(payload).toMatchObject(expected);
    expect(payload.message).not.toMatch(/secret|internal words|billing/);
  });
});
