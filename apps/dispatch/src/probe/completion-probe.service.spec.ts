import { MAX_OBSERVATION_BYTES, sendable } from './completion-probe.service';
import { ProbeTrace } from './probe-trace';

function observationOf(content: string, credential: string) {
  return sendable({
    outcome: {
      kind: 'served',
      reply: {
        finishReason: 'stop',
        content,
        toolCalls: [],
        outputBytes: content.length,
        unwantedBytes: 0,
        unseenBytes: 0,
      },
      firstTokenMs: 1,
      totalMs: 2,
      wasPaused: false,
    },
    body: '{}',
    trace: new ProbeTrace(),
    firstTokenMs: 1,
    totalMs: 2,
    credential,
  });
}

const MIB = 1024 * 1024;

describe('an observation', () => {
  it.each([
    ['a credential of one character that is everywhere', 'x'.repeat(MIB), 'x', 'replied'],
    ['a credential that is everywhere', 'xxxxxxxx'.repeat(MIB / 2), 'xxxxxxxx', 'failed'],
    ['a text that JSON makes long', '\u0001'.repeat(MIB), 'topsecret', 'failed'],
    ['a text', 'x'.repeat(MIB), 'topsecret', 'replied'],
  ])('goes in one message with %s', (_, content, credential, outcome) => {
    const observation = observationOf(content, credential);
    expect(Buffer.byteLength(JSON.stringify(observation))).toBeLessThanOrEqual(MAX_OBSERVATION_BYTES);
    expect(observation.outcome).toBe(outcome);
    if (outcome === 'failed') expect(observation.failure).toEqual({ kind: 'invalid', reason: 'too_large' });
  });
});
