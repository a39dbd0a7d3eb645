import type { StartRunRequest } from '@svc/contracts';
import { runRequest } from '../testing/run-request.for-spec';
import { invalid, unavailable } from '../provider-client/provider-failure';
import type { FailureReason } from '../provider-client/provider-failure';
import { countedFailure } from './blamed-failure';

const plain = runRequest(['a']);
const { wallet } = plain.hold;
const long = runRequest(['a'], { inputEstimate: 100_000 });
const withTools = runRequest(['a'], { body: { messages: [], tools: [] } });
const structured = runRequest(['a'], { body: { messages: [], response_format: { type: 'json_object' } } });
const thinking = runRequest(['a'], { body: { messages: [], reasoning_effort: 'high' } });

const of = (request: StartRunRequest, reasoning?: boolean) => ({ request, certified: { reasoning } });

describe('what a failure says against an offer', () => {
  // Each of these anybody brings about at an honest server, for nothing.
  it.each<FailureReason>([
    'structured_output',
    'tool_call',
    'tool_choice',
    'too_complex',
    'undeliverable',
    'finish_reason',
    'status_4xx',
    'status_429',
    'credential_unreadable',
  ])('%s has others asked first, and is blamed on nobody', (reason) => {
    for (const request of [plain, long, withTools, structured]) {
      expect(countedFailure(invalid(reason), of(request))).toEqual({ invalid: true });
    }
  });

  it.each<FailureReason>([
    'busy',
    'offer_gone',
    'crowded_out',
    'schema_too_expensive',
    'schema_unusable',
    'request_refused',
  ])('%s is not counted', (reason) => {
    expect(countedFailure(unavailable(reason), of(plain))).toBeUndefined();
  });

  it.each<FailureReason>([
    'tool_arguments',
    'call_shape',
    'not_json',
    'not_utf8',
    'shape',
    'no_finish_reason',
    'content_type',
    'content_encoding',
    'not_http',
    'connect_failed',
    'tls_failed',
  ])('%s is blamed on the offer, whatever was asked', (reason) => {
    for (const request of [plain, long, withTools, structured]) {
      expect(countedFailure(invalid(reason), of(request))).toEqual({ invalid: true, blamedBy: wallet });
    }
  });

  it.each<FailureReason>([
    'first_token_timeout',
    'chunk_timeout',
    'total_timeout',
    'status_5xx',
    'error_event',
    'connection_lost',
  ])('%s is blamed on the offer where any server would have served', (reason) => {
    expect(countedFailure(unavailable(reason), of(plain))).toEqual({ invalid: false, blamedBy: wallet });
    for (const request of [long, withTools, structured, thinking]) {
      expect(countedFailure(unavailable(reason), of(request))).toEqual({ invalid: false });
    }
  });

  it('a model that thinks takes its time for a short question too, and says nothing meanwhile', () => {
    const late = unavailable('first_token_timeout');
    expect(countedFailure(late, of(plain, true))).toEqual({ invalid: false });
    expect(countedFailure(late, of(plain, false))).toEqual({ invalid: false, blamedBy: wallet });
    for (const reason of ['chunk_timeout', 'total_timeout', 'status_5xx', 'connection_lost'] as const) {
      expect(countedFailure(unavailable(reason), of(plain, true))).toEqual({
        invalid: false,
        blamedBy: wallet,
      });
    }
  });
});
