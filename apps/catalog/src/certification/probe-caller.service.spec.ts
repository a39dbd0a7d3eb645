import type { ProbeCallRequest } from '@svc/contracts';
import { internalError, invalidRequest, noCapacity } from '@svc/errors';
import type { RpcClient } from '@svc/messaging';
import { ProbeCaller } from './probe-caller.service';
import { failing } from './probes/observation.for-spec';

const REQUEST = { timeoutMs: 1_000 } as ProbeCallRequest;

function interruptionOf(call: () => Promise<unknown>): Promise<unknown> {
  const caller = new ProbeCaller({ call } as unknown as RpcClient);
  return caller.call(REQUEST, { once: true, signal: new AbortController().signal });
}

describe('what befalls ourselves', () => {
  it.each([
    [internalError(), 'fault'],
    [invalidRequest('maxTokens must be at most 1000000.', 'maxTokens'), 'fault'],
    [new RangeError('9000000 bytes are more than the server takes'), 'fault'],
    [noCapacity('Too many probes are under way here.'), 'no_capacity'],
    [new Error('dispatch.v1.probe.call: no_responders'), 'away'],
  ])('%s', async (error, interruption) => {
    await expect(interruptionOf(() => Promise.reject(error))).rejects.toMatchObject({ interruption });
  });

  it('is told from what the endpoint does', async () => {
    const limit = failing('crowded_out');
    await expect(interruptionOf(() => Promise.resolve(limit))).rejects.toMatchObject({
      interruption: 'fault',
    });
    const theirs = failing('status_429', { status: 429 });
    expect(await interruptionOf(() => Promise.resolve(theirs))).toBe(theirs);
  });
});
