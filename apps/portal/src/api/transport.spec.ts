import { rememberCsrfToken, send, sessionHasEnded, whenSessionExpires, wholeBody } from './transport';

const ORIGIN = 'http://127.0.0.1:8080';
const request = (path: string, init?: RequestInit) => new Request(`${ORIGIN}${path}`, init);

describe('send', () => {
  const expired = jest.fn();
  let asked: Request | undefined;
  let answer: () => Promise<Response>;

  beforeEach(() => {
    expired.mockReset();
    asked = undefined;
    answer = () => Promise.resolve(Response.json({}));
    jest.spyOn(globalThis, 'fetch').mockImplementation((input) => {
      asked = input as Request;
      return answer();
    });
    whenSessionExpires(expired);
    rememberCsrfToken('token');
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rememberCsrfToken(undefined);
  });

  const refuses = (status: number, body: unknown, headers?: Record<string, string>) => {
    answer = () => Promise.resolve(Response.json(body, { status, headers }));
  };

  it.each([
    ['POST', '/portal/api/keys', 'token'],
    ['DELETE', '/portal/api/sessions', 'token'],
    ['GET', '/portal/api/keys', null],
    // Nobody but the portal's own API is to see it.
    ['POST', '/v1/offers', null],
  ])('%s %s carries the CSRF token: %p', async (method, path, token) => {
    await send(request(path, { method }));
    expect(asked?.headers.get('x-svc-csrf')).toBe(token);
  });

  it('makes an error of a refusal, with all that it says', async () => {
    const error = { message: 'The name must not be blank.', code: 'invalid_request', param: 'name' };
    refuses(400, { error }, { 'x-svc-request-id': 'req_1', 'retry-after': '7' });
    await expect(send(request('/portal/api/keys', { method: 'POST' }))).rejects.toMatchObject({
      ...error,
      ...{ name: 'ApiError', status: 400, requestId: 'req_1', retryAfterSeconds: 7 },
    });
  });

  it.each([['<html>502 Bad Gateway</html>'], ['[]'], ['{"error":"text"}'], ['{"error":{"message":7}}']])(
    'has words of its own for what a proxy may say: %s',
    async (body) => {
      answer = () => Promise.resolve(new Response(body, { status: 502 }));
      await expect(send(request('/portal/api/keys'))).rejects.toMatchObject({
        ...{ code: 'unreadable', status: 502 },
        message: 'The marketplace answered with status 502. Try again in a moment.',
      });
    },
  );

  it('says that nothing could be reached when no reply came', async () => {
    answer = () => Promise.reject(new TypeError('Failed to fetch'));
    await expect(send(request('/portal/api/keys'))).rejects.toMatchObject({ code: 'offline', status: 0 });
  });

  it.each([
    ['GET', 12_000, 'silent'],
    ['POST', 30_000, 'offline'],
  ])('%s waits for a reply that never begins for %d ms', async (method, mostMs, code) => {
    jest.useFakeTimers();
    try {
      jest
        .spyOn(globalThis, 'fetch')
        .mockImplementation(
          (_, { signal } = {}) =>
            new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error()))),
        );
      const given = jest.fn();
      const sent = send(request('/portal/api/keys', { method })).catch(given);
      await jest.advanceTimersByTimeAsync(mostMs - 1);
      expect(given).not.toHaveBeenCalled();
      await jest.advanceTimersByTimeAsync(1);
      await sent;
      expect(given).toHaveBeenCalledWith(expect.objectContaining({ code, status: 0 }));
    } finally {
      jest.useRealTimers();
    }
  });

  it('lets what its caller gave up be given up', async () => {
    const abort = new AbortController();
    answer = () => {
      abort.abort();
      return Promise.reject(abort.signal.reason as Error);
    };
    await expect(send(request('/portal/api/keys', { signal: abort.signal }))).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it.each([
    // A session that has ended.
    ['GET', '/portal/api/keys', 401, undefined, 1],
    ['GET', '/portal/api/sessions', 401, undefined, 1],
    ['DELETE', '/portal/api/session', 401, undefined, 1],
    ['DELETE', '/portal/api/sessions/1', 401, undefined, 1],
    // Another tab has signed in since.
    ['POST', '/portal/api/keys', 403, 'x-svc-csrf', 1],
    // Somebody is signing in just now.
    ['POST', '/portal/api/session', 401, undefined, 0],
    // About something else.
    ['GET', '/v1/key', 401, undefined, 0],
    ['GET', '/portal/api/operators/overview', 403, undefined, 0],
  ])('%s %s, refused with %d (%s), ends the session %d times', async (method, path, status, param, times) => {
    refuses(status, { error: { message: 'no', code: 'invalid_api_key', param } });
    // Whoever sent it need not know which end of a session it was.
    await expect(send(request(path, { method }))).rejects.toMatchObject({
      status: times === 1 ? 401 : status,
    });
    expect(expired).toHaveBeenCalledTimes(times);
  });

  it('asks for nothing more once the session has ended: the cookie may be another wallet’s', async () => {
    sessionHasEnded();
    await expect(send(request('/portal/api/wallet'))).rejects.toMatchObject({ status: 401 });
    expect(asked).toBeUndefined();
    await send(request('/portal/api/session/nonce', { method: 'POST' }));
    await send(request('/v1/models'));
    rememberCsrfToken('of the next one');
    await send(request('/portal/api/wallet'));
    expect(asked?.url).toBe(`${ORIGIN}/portal/api/wallet`);
  });

  it('goes on asking for what everybody may see when there was no session', async () => {
    rememberCsrfToken(undefined);
    sessionHasEnded();
    await expect(send(request('/portal/api/market'))).resolves.toMatchObject({ status: 200 });
  });
});

describe('wholeBody', () => {
  it('is a file, or what to do when it breaks off', async () => {
    await expect((await wholeBody(new Response('a,b'))).text()).resolves.toBe('a,b');
    const broken = new ReadableStream({
      pull: (controller) => controller.error(new TypeError('network error')),
    });
    await expect(wholeBody(new Response(broken))).rejects.toMatchObject({
      name: 'ApiError',
      code: 'offline',
    });
  });
});
