import type { ProbeObservation } from '@svc/contracts';
import { ProbeInterruptedError } from './probe-interrupted.error';
import { isLeftOpen, pauseBefore } from './probe-retries';
import { passingFaultOf } from './probes/passing-fault';
import { failing, replied } from './probes/observation.for-spec';
import { failed, passed } from './probes/probe';

describe('what may pass', () => {
  it.each<[string, ProbeObservation, boolean]>([
    ['llama.cpp: 503 "Loading model"', failing('status_5xx', { status: 503 }), true],
    ['Ollama that loads: no token in time', failing('first_token_timeout', { status: undefined }), true],
    ['a full server', failing('status_429', { status: 429 }), true],
    ['a proxy before a server that starts', failing('status_5xx', { status: 502 }), true],
    ['nobody there', failing('connect_failed', { status: undefined }), true],
    ['a bug', failing('status_5xx', { status: 500 }), false],
    ['a refusal', failing('status_4xx', { status: 401 }), false],
    ['a redirect', failing('redirect', { status: 307 }), false],
    ['a private address', failing('address_refused', { status: undefined }), false],
    ['a wrong certificate', failing('tls_failed', { status: undefined }), false],
    ['an endless reply', failing('total_timeout'), false],
    ['a web page', failing('content_type', {}, 'invalid'), false],
    ['a reply', replied(), false],
  ])('%s', (_, observation, expected) => {
    expect(passingFaultOf(observation) !== undefined).toBe(expected);
  });

  it('is tried twice more by a required probe, once more otherwise', () => {
    const verdict = failed('It failed.', {}, failing('status_429', { status: 429 }));
    const open = (isRequired: boolean, tries: number, of = verdict) =>
      isLeftOpen(isRequired, of, { tries, faults: 0 });
    expect([open(true, 0), open(true, 1), open(true, 2)]).toEqual([true, true, false]);
    expect([open(false, 0), open(false, 1)]).toEqual([true, false]);
    const absent = failed('It failed.', {}, failing('connect_failed'));
    expect([open(true, 0, absent), open(true, 1, absent)]).toEqual([true, false]);
    expect([open(true, 0, failed('It was wrong.', {}, replied())), open(true, 0, passed())]).toEqual([
      false,
      false,
    ]);
  });

  it('is waited for as long as the server asks, within bounds', () => {
    const pause = (tries: number, retryAfterSeconds?: number) => {
      const failure = { kind: 'unavailable' as const, reason: 'status_429', retryAfterSeconds };
      const fault = passingFaultOf(failing('status_429', { failure }));
      return pauseBefore(new ProbeInterruptedError('passing', undefined, { ...fault, tries }), 30_000);
    };
    expect([pause(1), pause(2), pause(1, 60), pause(1, 900), pause(2, 5)]).toEqual([
      30_000, 120_000, 60_000, 120_000, 120_000,
    ]);
  });
});
