import type { FailureReason, StartRunRequest } from '@svc/contracts';
import { invalid, unavailable } from '../provider-client/provider-failure';
import { runRequest } from '../testing/run-request.for-spec';
import { countedFailure } from './counted-failure';

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
    'wordless',
    'filtered',
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

  const asking = (body: object) => of(runRequest(['a'], { body }));
  const user = { role: 'user', content: 'Hi' };
  const system = { role: 'system', content: 'Be brief.' };
  const assistant = { role: 'assistant', content: 'Hello' };

  it.each<[string, object[]]>([
    ['two questions in a row', [user, user]],
    ['the assistant first', [assistant, user]],
    ['the assistant last', [user, assistant]],
    ['a system message among the others', [user, system, user]],
    ['two system messages', [system, system, user]],
    ['a system message alone', [system]],
    ['a content in parts', [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]],
    ['a call without its tools', [user, { ...assistant, tool_calls: [] }, user]],
  ])('a server may fail for its template where there are %s', (_, messages) => {
    for (const reason of ['status_5xx', 'error_event'] as const) {
      expect(countedFailure(unavailable(reason), asking({ messages }))).toEqual({ invalid: false });
    }
    const lost = unavailable('connection_lost');
    expect(countedFailure(lost, asking({ messages }))).toEqual({ invalid: false, blamedBy: wallet });
  });

  it('every template takes turns, after a system message too', () => {
    for (const messages of [[user], [user, assistant, user], [system, user]]) {
      const counted = countedFailure(unavailable('status_5xx'), asking({ messages }));
      expect(counted).toEqual({ invalid: false, blamedBy: wallet });
    }
  });

  it('a server shows nothing of what may yet be a long stop sequence', () => {
    const late = unavailable('first_token_timeout');
    for (const stop of ['x'.repeat(101), ['\n', 'x'.repeat(101)]]) {
      expect(countedFailure(late, asking({ ...plain.body, stop }))).toEqual({ invalid: false });
    }
    for (const stop of ['x'.repeat(100), ['\n', 'END']]) {
      const counted = countedFailure(late, asking({ ...plain.body, stop }));
      expect(counted).toEqual({ invalid: false, blamedBy: wallet });
    }
  });
});
