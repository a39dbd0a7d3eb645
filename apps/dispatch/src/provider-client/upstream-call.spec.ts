import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { UpstreamCall } from './upstream-call';

describe('UpstreamCall', () => {
  it.each([
    ['ETIMEDOUT', 'connect_failed'],
    ['EHOSTUNREACH', 'connect_failed'],
    ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', 'tls_failed'],
    ['SVC_CONNECTION_RESET', 'connection_lost'],
    ['EMFILE', 'crowded_out'],
    ['ENOBUFS', 'crowded_out'],
  ])('%s before the reply is %s, and within it a lost connection', (code, before) => {
    const controller = {} as Dispatcher.DispatchController;
    const reasonOf = (begin: (call: UpstreamCall) => void) => {
      const onFailure = jest.fn();
      const call = new UpstreamCall({ onHead: jest.fn(), onData: jest.fn(), onEnd: jest.fn(), onFailure });
      begin(call);
      call.onResponseError(controller, Object.assign(new Error(code), { code }));
      return (onFailure.mock.calls as [{ reason: string }][]).map(([{ reason }]) => reason);
    };
    expect(reasonOf(() => undefined)).toEqual([before]);
    expect(reasonOf((call) => call.onResponseStart(controller, 200, {}))).toEqual(['connection_lost']);
  });

  it.each<[string | string[] | undefined, boolean]>([
    [undefined, true],
    ['identity', true],
    ['Identity', true],
    ['', true],
    ['gzip', false],
    ['identity, gzip', false],
    [['identity', 'identity'], false],
  ])('reads content coded as %j: %s', (encoding, isRead) => {
    const [onHead, onFailure] = [jest.fn(), jest.fn()];
    const call = new UpstreamCall({ onHead, onData: jest.fn(), onEnd: jest.fn(), onFailure });
    const headers = { 'content-encoding': encoding } as IncomingHttpHeaders;
    call.onResponseStart({} as Dispatcher.DispatchController, 200, headers);
    call.onResponseEnd();
    expect(onHead).toHaveBeenCalledTimes(isRead ? 1 : 0);
    expect(onFailure.mock.calls).toEqual(isRead ? [] : [[{ kind: 'invalid', reason: 'content_encoding' }]]);
  });

  /** A call whose reply has begun, and what has been done with its connection. */
  function replying(headers: IncomingHttpHeaders = {}) {
    const controller = { abort: jest.fn(), pause: jest.fn(), resume: jest.fn() };
    const listener = { onHead: jest.fn(), onData: jest.fn(), onEnd: jest.fn(), onFailure: jest.fn() };
    const trace = { onStatus: jest.fn(), onBytes: jest.fn(), onClosed: jest.fn() };
    const call = new UpstreamCall(listener, trace);
    const connection = controller as unknown as Dispatcher.DispatchController;
    call.begin(() => undefined);
    call.onRequestStart(connection);
    const status = (code: number) => call.onResponseStart(connection, code, headers);
    const data = (bytes: number) => call.onResponseData(connection, Buffer.alloc(bytes));
    return { call, controller, connection, listener, trace, status, data };
  }

  describe('that was left', () => {
    beforeEach(() => {
      jest.useFakeTimers();
    });
    afterEach(() => {
      jest.useRealTimers();
    });

    it('is read on for a second, unheard, and then broken off', () => {
      const { call, controller, listener, trace, status, data } = replying();
      status(200);
      call.pause();
      call.leave();
      expect([controller.pause, controller.resume].map((each) => each.mock.calls.length)).toEqual([1, 1]);
      data(100);
      jest.advanceTimersByTime(999);
      expect([controller.abort.mock.calls.length, trace.onClosed.mock.calls.length]).toEqual([0, 0]);
      jest.advanceTimersByTime(1);
      expect([controller.abort.mock.calls.length, trace.onClosed.mock.calls.length]).toEqual([1, 1]);
      expect(trace.onBytes).toHaveBeenCalledTimes(1);
      for (const told of [listener.onData, listener.onEnd, listener.onFailure])
        expect(told).not.toHaveBeenCalled();
    });

    it('is broken off at once when there is more than 64 KiB left', () => {
      const { call, controller, status, data } = replying();
      status(200);
      data(1024 * 1024);
      call.leave();
      data(60 * 1024);
      data(4 * 1024);
      expect(controller.abort).not.toHaveBeenCalled();
      data(1);
      expect(controller.abort).toHaveBeenCalledTimes(1);
    });

    it('gives its connection back when it ends in time', () => {
      const { call, controller, listener, trace, status } = replying();
      status(200);
      call.leave();
      call.onResponseEnd();
      jest.advanceTimersByTime(10_000);
      // The connection is another call's by now.
      for (const late of [() => call.leave(), () => call.pause(), () => call.resume()]) late();
      jest.advanceTimersByTime(10_000);
      expect([controller.abort, controller.pause].map((each) => each.mock.calls.length)).toEqual([0, 0]);
      expect(controller.resume).toHaveBeenCalledTimes(1);
      expect([listener.onEnd, trace.onClosed].map((each) => each.mock.calls.length)).toEqual([0, 1]);
    });
  });

  it('passes over eight interim replies, and fails at the ninth', () => {
    const { controller, listener, trace, status } = replying();
    for (let interim = 0; interim < 8; interim++) status(103);
    expect(listener.onFailure).not.toHaveBeenCalled();
    status(103);
    status(200);
    expect(listener.onFailure.mock.calls).toEqual([[{ kind: 'invalid', reason: 'not_http' }]]);
    expect([listener.onHead, trace.onStatus].map((each) => each.mock.calls.length)).toEqual([0, 0]);
    expect(controller.abort).toHaveBeenCalledTimes(1);
  });

  it('is broken off as soon as it has a connection when nobody wants it any more', () => {
    const { call, controller, connection } = replying();
    const abort = jest.fn();
    const late = new UpstreamCall({ onHead: abort, onData: abort, onEnd: abort, onFailure: abort });
    late.begin(() => undefined);
    late.abort();
    late.onRequestStart(connection);
    expect([controller.abort.mock.calls.length, abort.mock.calls.length]).toEqual([1, 0]);
    call.abort();
    expect(controller.abort).toHaveBeenCalledTimes(2);
  });

  it('fails a reply with another status once, and tells nothing of its body', () => {
    const { call, listener, trace, status, data } = replying({ 'retry-after': '7' });
    status(503);
    data(100);
    call.onResponseEnd();
    expect(listener.onFailure.mock.calls).toEqual([
      [expect.objectContaining({ reason: 'status_5xx', retryAfterSeconds: 7 })],
    ]);
    for (const told of [listener.onHead, listener.onData, listener.onEnd])
      expect(told).not.toHaveBeenCalled();
    expect([trace.onStatus.mock.calls, trace.onBytes.mock.calls.length]).toEqual([[[503]], 1]);
  });

  it.each<[IncomingHttpHeaders, boolean]>([
    [{}, false],
    [{ 'content-length': '3' }, true],
    [{ 'transfer-encoding': 'chunked' }, true],
  ])('with the headers %j its end is marked: %s', (headers, isMarked) => {
    const { call, listener, status } = replying(headers);
    status(200);
    call.onResponseEnd();
    expect(listener.onEnd.mock.calls).toEqual([[isMarked]]);
  });

  it.each<[string | string[] | undefined, string]>([
    ['Text/Event-Stream ; charset=utf-8', 'text/event-stream'],
    ['application/json', 'application/json'],
    [['application/json', 'text/event-stream'], ''],
    [undefined, ''],
  ])('takes %j for %j', (header, contentType) => {
    const { listener, status } = replying({ 'content-type': header } as IncomingHttpHeaders);
    status(200);
    expect(listener.onHead.mock.calls).toEqual([[contentType]]);
  });

  describe('over a connection that was closed already', () => {
    const controller = { abort: jest.fn() } as unknown as Dispatcher.DispatchController;
    const stale = () => Object.assign(new Error('closed'), { code: 'SVC_CONNECTION_STALE' });
    let now: jest.SpyInstance<number>;
    const [send, onFailure] = [jest.fn(), jest.fn()];
    let call: UpstreamCall;

    beforeEach(() => {
      send.mockClear();
      onFailure.mockClear();
      now = jest.spyOn(performance, 'now').mockReturnValue(5_000);
      call = new UpstreamCall({ onHead: jest.fn(), onData: jest.fn(), onEnd: jest.fn(), onFailure });
      call.begin(send);
      call.onRequestStart(controller);
    });
    afterEach(() => now.mockRestore());

    it('is sent anew, unless the server has had time to hear of it', async () => {
      now.mockReturnValue(5_999);
      call.onResponseError(controller, stale());
      await Promise.resolve();
      expect([send.mock.calls.length, onFailure.mock.calls]).toEqual([2, []]);
      now.mockReturnValue(6_000);
      call.onResponseError(controller, stale());
      await Promise.resolve();
      expect(send).toHaveBeenCalledTimes(2);
      expect(onFailure.mock.calls).toEqual([[{ kind: 'unavailable', reason: 'connection_lost' }]]);
    });

    it('is not sent anew once it was aborted', async () => {
      call.onResponseError(controller, stale());
      call.abort();
      await Promise.resolve();
      expect([send.mock.calls.length, onFailure.mock.calls]).toEqual([1, []]);
    });
  });
});
