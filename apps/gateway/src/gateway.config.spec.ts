import { ConfigError, loadConfig } from '@svc/config';
import { credentialPublicKeyOf, generateCredentialKey } from '@svc/credential-seal';
import { GatewayConfig } from './gateway.config';

const environment = {
  HTTP_PORT: '0',
  NATS_URL: 'nats://127.0.0.1',
  KEY_PEPPER: 'a pepper for tests only',
  RESPONSE_KEY: 'cd'.repeat(32),
  CREDENTIAL_PUBLIC_KEY: credentialPublicKeyOf(generateCredentialKey()),
};
const load = (changes: Record<string, string> = {}) =>
  loadConfig(GatewayConfig, { ...environment, ...changes });

describe('GatewayConfig', () => {
  it('believes no proxy unless told', () => {
    expect(load().proxies).toEqual([]);
    expect(load({ TRUSTED_PROXIES: '' }).proxies).toEqual([]);
    expect(load({ TRUSTED_PROXIES: '10.0.0.0/8, ::1,fd00::/8' }).proxies).toEqual([
      '10.0.0.0/8',
      '::1',
      'fd00::/8',
    ]);
  });

  it.each([
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0.0/8/8'],
    ['TRUSTED_PROXIES', 'proxy.example.com'],
    ['TRUSTED_PROXIES', 'true'],
    ['TRUSTED_PROXIES', '10.0.0.1,,'],
    ['CREDENTIAL_PUBLIC_KEY', 'short'],
    ['SUPPLY_WRITES_PER_MINUTE', '0'],
    ['SUPPLY_READS_PER_MINUTE', 'many'],
  ])('refuses %s=%s', (variable, value) => {
    expect(() => load({ [variable]: value })).toThrow(ConfigError);
    expect(() => load({ [variable]: value })).toThrow(variable);
  });
});
