import { ERROR_CODES } from './error-codes';
import {
  conflict,
  invalidRequest,
  isNotFound,
  modelNotFound,
  noCapacity,
  notFound,
  toErrorPayload,
} from './errors';
import { SvcError, parseErrorPayload, toErrorBody } from './svc-error';

describe('the error catalogue', () => {
  it('has the spec section 7 codes with the statuses of the decision record', () => {
    const statuses = Object.fromEntries(
      Object.entries(ERROR_CODES).map(([code, entry]) => [code, entry.status]),
    );
    expect(statuses).toEqual({
      invalid_request: 400,
      feature_not_supported: 400,
      invalid_api_key: 401,
      account_suspended: 403,
      model_not_found: 404,
      insufficient_quota: 402,
      no_capacity: 503,
      provider_output_invalid: 502,
      internal_error: 500,
    });
  });

  it('keeps an internal message from the client', () => {
    const payload = toErrorPayload(new Error('connect ECONNREFUSED 10.0.0.1:5432'));
    expect(payload.code).toBe('internal_error');
    expect(JSON.stringify(toErrorBody(payload))).not.toContain('10.0.0.1');
  });

  it('makes the body of spec section 2.4, with param null where none is named', () => {
    expect(toErrorBody(noCapacity('busy', 3).payload)).toEqual({
      error: { message: 'busy', type: 'server_error', code: 'no_capacity', param: null },
    });
  });

  it('holds no half of a character, wherever what is quoted was cut', () => {
    const { error } = toErrorBody(modelNotFound(`${'x'.repeat(99)}😀`).payload);
    expect([error.message.isWellFormed(), error.message]).toEqual([
      true,
      expect.stringContaining(`"${'x'.repeat(99)}\ufffd…"`),
    ]);
    expect(toErrorBody(invalidRequest('no', 'metadata.\ud83d').payload).error.param).toBe('metadata.\ufffd');
  });

  it('survives the wire and refuses what is not a payload', () => {
    const { payload } = invalidRequest('too large', undefined, 413);
    expect(parseErrorPayload(JSON.parse(JSON.stringify(payload)))).toEqual({
      code: 'invalid_request',
      message: 'too large',
      status: 413,
    });
    const charged = { ...noCapacity('read too slowly').payload, costUsdc: '0.000012' };
    expect(parseErrorPayload(charged)).toEqual(charged);
    for (const foreign of [null, 'x', {}, { code: 'toString', message: 'm' }, { code: 'no_capacity' }]) {
      expect(parseErrorPayload(foreign)).toBeUndefined();
    }
  });

  it('knows what is not there by its status, which conflicts and malformed requests do not have', () => {
    expect(notFound('No.', 'id').payload).toEqual(invalidRequest('No.', 'id', 404).payload);
    expect(conflict('No.').payload).toEqual(invalidRequest('No.', undefined, 409).payload);
    expect([notFound('No.'), modelNotFound('m')].map(isNotFound)).toEqual([true, true]);
    expect([conflict('No.'), invalidRequest('No.'), new Error('404'), null].map(isNotFound)).not.toContain(
      true,
    );
  });

  it('is told apart by its marker', () => {
    expect(SvcError.is(invalidRequest('x'))).toBe(true);
    expect(SvcError.is(new Error('x'))).toBe(false);
    expect(invalidRequest('x', 'p', 422).status).toBe(422);
  });
});
