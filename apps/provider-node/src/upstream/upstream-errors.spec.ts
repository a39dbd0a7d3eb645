import { networkFailure, refusal } from './upstream-errors';

const told = JSON.stringify({
  error: { message: 'Too long', code: 'context_length_exceeded', param: 'messages' },
});

describe('errors of the upstream', () => {
  it('passes on what is about the request', () => {
    expect(refusal(400, told)).toMatchObject({
      fields: {
        status: 400,
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
        param: 'messages',
      },
      message: 'Too long',
    });
  });

  it('passes on when to come back', () => {
    expect(refusal(429, '', { 'retry-after': '7' }).fields).toMatchObject({
      status: 429,
      type: 'rate_limit_error',
      retryAfterSeconds: 7,
    });
    const yesterday = new Date(Date.now() - 86_400_000).toUTCString();
    expect(refusal(503, '', { 'retry-after': yesterday }).fields).toMatchObject({ retryAfterSeconds: 0 });
    // A server whose clock is a day behind.
    const inAWhile = new Date(Date.parse(yesterday) + 9_000).toUTCString();
    const dated = refusal(503, '', { 'retry-after': inAWhile, date: yesterday });
    expect(dated.fields).toMatchObject({ retryAfterSeconds: 9 });
    expect(refusal(503, '<html>', { 'retry-after': 'soon' }).fields).toMatchObject({
      status: 503,
      code: 'upstream_busy',
    });
    expect(refusal(503, '<html>', { 'retry-after': 'soon' }).fields).not.toHaveProperty('retryAfterSeconds');
  });

  it.each([
    [301, 500],
    [401, 500],
    [403, 500],
    [404, 500],
    [500, 500],
    [502, 502],
    [504, 502],
  ])('takes %d on itself, without its words, as %d', (status, as) => {
    const error = refusal(status, told);
    expect(error.fields).toMatchObject({ status: as, type: 'server_error', code: 'upstream_failed' });
    expect(error.message).not.toContain('Too long');
  });

  it('tells a timeout from a refused connection', () => {
    expect(networkFailure({ code: 'UND_ERR_HEADERS_TIMEOUT' }).fields.status).toBe(504);
    expect(networkFailure({ code: 'ECONNREFUSED' }).fields.status).toBe(502);
    expect(networkFailure(undefined).fields.status).toBe(502);
  });
});
