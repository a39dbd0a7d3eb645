import type { IncomingCall } from '@svc/messaging';
import { answerCall } from './answer-call.for-spec';

describe('a stand-in that breaks', () => {
  it.each(['when it reads', 'later'])('tells whoever called, and rejects nothing: %s', async (when) => {
    const told: [string, string][] = [];
    const answer = { result: () => undefined, error: (...error: [string, string]) => void told.push(error) };
    const read = () => {
      if (when === 'later') return {};
      throw new SyntaxError('no JSON');
    };
    await answerCall({ context: {}, answer, read }, async (call: IncomingCall) => {
      call.read();
      await Promise.reject(new Error('waited in vain'));
    });
    const why = when === 'later' ? 'Error: waited in vain' : 'SyntaxError: no JSON';
    const payload = { code: 'internal_error', message: `A stand-in broke: ${why}` };
    expect(told).toEqual([['internal_error', JSON.stringify(payload)]]);
  });

  it('rejects nothing where nobody waits for an answer', async () => {
    const call: IncomingCall = { context: {}, answer: undefined, read: () => undefined };
    await expect(answerCall(call, () => Promise.reject(new Error('broken')))).resolves.toBeUndefined();
  });
});
