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
});
