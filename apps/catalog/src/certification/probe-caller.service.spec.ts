import type { ProbeCallRequest } from '@svc/contracts';
import { internalError, invalidRequest, noCapacity } from '@svc/errors';
import type { RpcClient } from '@svc/messaging';
import { SilentProviders } from '../watch/heartbeat/silent-providers';
import { ProbeCaller } from './probe-caller.service';
import { failing } from './probes/observation.for-spec';

const REQUEST = { timeoutMs: 1_000 } as ProbeCallRequest;
const { signal } = new AbortController();

/** @param answers whether other providers' endpoints do */
function callerOf(call: () => Promise<unknown>, answers = true): ProbeCaller {
  const silentProviders = new SilentProviders(60_000);
  for (const provider of ['a', 'b', 'c', 'd', 'e']) {
    silentProviders.note(provider, 'https://one.example/v1', answers, performance.now());
  }
  return new ProbeCaller({ call } as unknown as RpcClient, silentProviders);
}

function interruptionOf(call: () => Promise<unknown>, answers = true): Promise<unknown> {
  return callerOf(call, answers).call(REQUEST, { once: true, signal });
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

  it.each(['connect_failed', 'connection_lost', 'first_token_timeout', 'chunk_timeout'])(
    'is all that %s says while nearly no endpoint answers',
    async (reason) => {
      const silence = failing(reason, { status: undefined });
      const cutOff = { interruption: 'cut_off' };
      await expect(interruptionOf(() => Promise.resolve(silence), false)).rejects.toMatchObject(cutOff);
      expect(await interruptionOf(() => Promise.resolve(silence))).toBe(silence);
    },
  );

  it('is not what an endpoint answers, whatever the others do', async () => {
    const theirs = failing('status_5xx', { status: 503 });
    expect(await interruptionOf(() => Promise.resolve(theirs), false)).toBe(theirs);
    const request = { provider: 'p', endpoint: 'https://two.example/v1' };
    const refused = { alive: false, status: 503, reason: 'status_5xx', ms: 5 };
    expect(await callerOf(() => Promise.resolve(refused), false).ping(request, signal)).toBe(refused);
    const silent = { alive: false, reason: 'connect_failed', ms: 5 };
    const ping = (answers: boolean) => callerOf(() => Promise.resolve(silent), answers).ping(request, signal);
    await expect(ping(false)).rejects.toMatchObject({ interruption: 'cut_off' });
    expect(await ping(true)).toBe(silent);
  });
});
