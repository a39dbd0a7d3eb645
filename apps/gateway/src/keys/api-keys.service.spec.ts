import { generateApiKey, hashApiKey } from '@svc/api-key';
import type { RpcClient } from '@svc/messaging';
import type { GatewayConfig } from '../gateway.config';
import { ApiKeysService } from './api-keys.service';

const PEPPER = 'a pepper of the test';
const invalid = expect.objectContaining({ code: 'invalid_api_key' }) as unknown;

describe('ApiKeysService', () => {
  const keys = new ApiKeysService(
    { environment: { keyPrefix: 'svc_test_' }, keyPepper: PEPPER } as GatewayConfig,
    {} as RpcClient,
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
