import { generateApiKey, hashApiKey } from '@svc/api-key';
import { accountSuspended, internalError, invalidApiKey, noCapacity } from '@svc/errors';
import type { RpcClient } from '@svc/messaging';
import type { GatewayConfig } from '../gateway.config';
import { ApiKeysService } from './api-keys.service';
import type { UnknownKeys } from './unknown-keys';

const PEPPER = 'a pepper of the test';
const invalid = expect.objectContaining({ code: 'invalid_api_key' }) as unknown;

describe('ApiKeysService', () => {
  const keys = new ApiKeysService(
    { environment: { keyPrefix: 'svc_test_' }, keyPepper: PEPPER } as GatewayConfig,
    {} as RpcClient,
    {} as UnknownKeys,
  );

  it('knows a key by its hash under the pepper, the first time and later', () => {
    const [one, other] = [generateApiKey('svc_test_'), generateApiKey('svc_test_')];
    for (const key of [one, other, one, other]) {
      expect(keys.isWellFormed(`Bearer ${key}`)).toBe(true);
      expect(keys.hashOf(`Bearer ${key}`)).toBe(hashApiKey(key, PEPPER));
      expect(keys.hashOf(`bearer  ${key}`)).toBe(hashApiKey(key, PEPPER));
    }
  });

  it.each([
    ['no header', undefined],
    ['a key of the other environment', `Bearer ${generateApiKey('svc_live_')}`],
    ['a key with a typo', `Bearer ${generateApiKey('svc_test_').replace(/.$/, '-')}`],
    ['a key without its scheme', generateApiKey('svc_test_')],
  ])('refuses %s, however often it is asked', (_, authorization) => {
    for (let time = 0; time < 2; time++) {
      expect(keys.isWellFormed(authorization)).toBe(false);
      expect(() => keys.hashOf(authorization)).toThrow(invalid as Error);
    }
  });
});

describe('what is heard of a key', () => {
  /** Keys of which billing says this, one question after another; `undefined` is that nothing is wrong. */
  function keysOf(...answers: (Error | undefined)[]) {
    const call = jest.fn(() => {
      const answer = answers.shift();
      return answer ? Promise.reject(answer) : Promise.resolve({});
    });
    const config = { environment: { keyPrefix: 'svc_test_' }, keyPepper: PEPPER } as GatewayConfig;
    const unknown = { count: () => Promise.resolve(() => undefined) } as unknown as UnknownKeys;
    return { keys: new ApiKeysService(config, { call } as unknown as RpcClient, unknown), call };
  }

  it.each([invalidApiKey(), accountSuspended()])('is asked for once, and again after %s', async (refusal) => {
    const { keys, call } = keysOf(undefined, refusal);
    for (let time = 0; time < 2; time++) await keys.assertHeardOf('hash', { id: 'req_1', ip: '::1' });
    expect(call).toHaveBeenCalledTimes(1);
    // Of other refusals it is no fault of the key's.
    keys.heard('hash', noCapacity('Too many.', 1));
    await keys.assertHeardOf('hash', { id: 'req_2', ip: '::1' });
    expect(call).toHaveBeenCalledTimes(1);
    keys.heard('hash', refusal);
    await expect(keys.assertHeardOf('hash', { id: 'req_3', ip: '::1' })).rejects.toBe(refusal);
    expect(call).toHaveBeenCalledTimes(2);
  });

  it('is asked for once, however many requests come with it at once', async () => {
    const { keys, call } = keysOf(undefined);
    await Promise.all(['req_1', 'req_2', 'req_3'].map((id) => keys.assertHeardOf('hash', { id, ip: '::1' })));
    expect(call).toHaveBeenCalledTimes(1);
  });

  it('is nothing when billing breaks over the question, and is asked for again', async () => {
    const { keys, call } = keysOf(internalError(), undefined);
    for (let time = 0; time < 3; time++) await keys.assertHeardOf('hash', { id: 'req_1', ip: '::1' });
    expect(call).toHaveBeenCalledTimes(2);
  });
});
