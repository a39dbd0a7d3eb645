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
