import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
    ['TRUSTED_PROXIES', '0.0.0.0/0'],
    ['TRUSTED_PROXIES', '::/00'],
    ['TRUSTED_PROXIES', 'proxy.example.com'],
    ['TRUSTED_PROXIES', 'true'],
    ['TRUSTED_PROXIES', '10.0.0.1,,'],
    ['RESPONSE_KEY', 'short'],
    ['CREDENTIAL_PUBLIC_KEY', 'short'],
    ['SUPPLY_WRITES_PER_MINUTE', '0'],
    ['SUPPLY_READS_PER_MINUTE', 'many'],
    ['UNKNOWN_KEYS_PER_MINUTE', '0'],
    ['SHUTDOWN_LEAVE_MS', '20001'],
    ['SHUTDOWN_GRACE_MS', '9999999999'],
    ['PORTAL_DIR', join(__dirname, 'nowhere')],
    ['PORTAL_DIR', __filename],
  ])('refuses %s=%s', (variable, value) => {
    expect(() => load({ [variable]: value })).toThrow(ConfigError);
    expect(() => load({ [variable]: value })).toThrow(variable);
  });

  it('says of a PORTAL_DIR that cannot be looked at why', () => {
    const directory = mkdtempSync(join(tmpdir(), 'svc-portal-'));
    const circle = join(directory, 'circle');
    symlinkSync(circle, circle);
    // As one below a directory that may not be entered (EACCES), which nothing is for root.
    expect(() => load({ PORTAL_DIR: circle })).toThrow(ConfigError);
    expect(() => load({ PORTAL_DIR: circle })).toThrow(/PORTAL_DIR: .*\(ELOOP\)/);
    rmSync(directory, { recursive: true });
  });

  const portal = {
    PORTAL_ORIGINS: 'https://market.example',
    CHAIN_ID: '31337',
    CHAIN_USDC_ADDRESS: `0x${'1'.repeat(40)}`,
    CHAIN_SETTLEMENT_ADDRESS: `0x${'2'.repeat(40)}`,
  };
  const developmentWallet = `Buyer=0x${'1'.repeat(64)}`;

  it('knows the chain where there is a portal, and needs it nowhere else', () => {
    expect(load().portalOriginList).toEqual([]);
    const origins = 'http://127.0.0.1:8080, http://localhost:8080';
    expect(load({ ...portal, PORTAL_ORIGINS: origins }).portalOriginList).toEqual(origins.split(', '));
    for (const variable of ['CHAIN_ID', 'CHAIN_USDC_ADDRESS', 'CHAIN_SETTLEMENT_ADDRESS']) {
      expect(() => load({ ...portal, [variable]: '' })).toThrow(variable);
    }
    const wallets = load({ ...portal, OPERATOR_WALLETS: `0x${'A'.repeat(40)}` }).operatorWalletList;
    expect(wallets).toEqual([`0x${'a'.repeat(40)}`]);
  });

  it('gives no private key to the page unless the chain is a development node’s', () => {
    const wallets = { PORTAL_DEVELOPMENT_WALLETS: developmentWallet };
    expect(load({ ...portal, ...wallets }).developmentWalletList).toHaveLength(1);
    const onAnother = () => load({ ...portal, ...wallets, CHAIN_ID: '1' });
    expect(onAnother).toThrow(/PORTAL_DEVELOPMENT_WALLETS: .*development chain/);
    expect(onAnother).not.toThrow(/1111/);
    expect(() => load(wallets)).toThrow('PORTAL_DEVELOPMENT_WALLETS');
  });

  it.each([
    ['PORTAL_ORIGINS', 'market.example'],
    ['PORTAL_ORIGINS', 'https://market.example/'],
    ['PORTAL_ORIGINS', 'https://market.example/portal'],
    ['PORTAL_ORIGINS', 'https://market.example:443'],
    ['PORTAL_ORIGINS', 'https://Market.example'],
    ['PORTAL_ORIGINS', 'https://*.example'],
    ['PORTAL_ORIGINS', 'https://market.example,http://market.example'],
    ['PORTAL_ORIGINS', 'null'],
    ['OPERATOR_WALLETS', '0x12'],
    ['PORTAL_CHAIN_RPC_URL', "https://chain.example; script-src 'unsafe-inline'"],
    ['PORTAL_CHAIN_RPC_URL', 'javascript:alert(1)'],
    ['PORTAL_CHAIN_EXPLORER_URL', 'javascript:alert(1)'],
    ['PORTAL_FAUCET', 'yes'],
    ['PORTAL_DEVELOPMENT_WALLETS', 'Buyer=0x12'],
  ])('refuses %s=%s where there is a portal', (variable, value) => {
    expect(() => load({ ...portal, [variable]: value })).toThrow(variable);
  });
});
