import { loadConfig } from '@svc/config';
import { BillingConfig } from './billing.config';

const environment = {
  HTTP_PORT: '0',
  NATS_URL: 'nats://127.0.0.1:4222',
  DATABASE_URL: 'postgresql://svc_billing:pw@127.0.0.1:5432/svc',
  CHAIN_RPC_URL: 'http://127.0.0.1:8545',
  CHAIN_ID: '31337',
  CHAIN_USDC_ADDRESS: `0x${'a'.repeat(40)}`,
  CHAIN_SETTLEMENT_ADDRESS: `0x${'b'.repeat(40)}`,
};

describe('BillingConfig', () => {
  it('has defaults for everything that is not an address of something', () => {
    expect(loadConfig(BillingConfig, environment)).toMatchObject({
      chainId: 31_337,
      chainConfirmations: 12,
      holdLeaseMs: 60_000,
      providerShareBps: 9_000,
      settlementIntervalMs: 600_000,
      settlementMaxDues: 200,
      reconciliationIntervalMs: 60_000,
    });
  });

  it.each([
    ['DATABASE_URL', ''],
    ['DATABASE_URL', 'mysql://db'],
    ['CHAIN_ID', 'mainnet'],
    ['CHAIN_ID', '0'],
    ['CHAIN_USDC_ADDRESS', '0x12'],
    ['CHAIN_SETTLEMENT_ADDRESS', ''],
    ['CHAIN_RPC_URL', 'localhost:8545'],
    ['HOLD_LEASE_MS', '10'],
    ['PROVIDER_SHARE_BPS', '10001'],
    ['CHAIN_RPC_URL', 'http://'],
    ['SETTLER_KEY', '0x12'],
    ['SETTLER_KEY', `0x${'0'.repeat(64)}`],
    ['PAYER_KEY', `0x${'f'.repeat(64)}`],
    ['PAYER_KEY', 'abc'],
    ['SETTLEMENT_MAX_DUES', '251'],
    ['SETTLEMENT_MAX_FEE_PER_GAS', '1.5'],
    ['SETTLEMENT_INTERVAL_MS', '0'],
    ['SETTLEMENT_MIN_DUE', '0.01'],
  ])('refuses %s=%j, naming the variable', (variable, value) => {
    expect(() => loadConfig(BillingConfig, { ...environment, [variable]: value })).toThrow(variable);
  });

  it('settles only with a key, and says nothing of a bad one', () => {
    expect(loadConfig(BillingConfig, environment).settlerKey).toBeUndefined();
    const key = `0x${'ab'.repeat(31)}`;
    expect(() => loadConfig(BillingConfig, { ...environment, SETTLER_KEY: key })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('abab') as string }) as Error,
    );
  });

  it('refuses one key for both taking and giving, however it is written, and does not show it', () => {
    const keys = { SETTLER_KEY: `0x${'ab'.repeat(32)}`, PAYER_KEY: `0x${'AB'.repeat(32)}` };
    const load = () => loadConfig(BillingConfig, { ...environment, ...keys });
    expect(load).toThrow('PAYER_KEY: must be another key than SETTLER_KEY');
    expect(load).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/abab/i) as string }) as Error,
    );
    keys.PAYER_KEY = `0x${'cd'.repeat(32)}`;
    expect(load).not.toThrow();
  });
});
