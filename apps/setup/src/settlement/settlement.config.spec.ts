import { loadConfig } from '@svc/config';
import { Wallet, ZeroAddress } from 'ethers';
import { SettlementConfig } from './settlement.config';

const deployer = Wallet.createRandom();
const [usdc, treasury, admin, settler, payer] = Array.from(
  { length: 5 },
  () => Wallet.createRandom().address,
) as [string, string, string, string, string];

const fits = {
  STATE_FILE: 'state.json',
  CHAIN_RPC_URL: 'http://chain.test',
  CHAIN_ID: '1',
  CHAIN_DEPLOYER_KEY: deployer.privateKey,
  CHAIN_USDC_ADDRESS: usdc,
  CHAIN_TREASURY: treasury,
  CHAIN_ADMIN: admin,
  CHAIN_SETTLER: settler,
  CHAIN_PAYER: payer,
};
const load = (changes: Record<string, string> = {}) => loadConfig(SettlementConfig, { ...fits, ...changes });

describe("the settlement step's configuration", () => {
  it('takes the admin for the pauser and the usual caps, unless told', () => {
    const caps = { payerDay: 10_000_000_000n, allDay: 1_000_000_000_000n, payoutDay: 1_000_000_000_000n };
    expect(load().terms).toEqual({ usdc, treasury, admin, settler, payer, pauser: admin, caps });
    const told = { CHAIN_PAUSER: admin.toLowerCase(), CHAIN_CAP_PAYOUT_DAY: '7' };
    expect(load(told).terms).toMatchObject({ pauser: admin.toLowerCase(), caps: { payoutDay: 7n } });
    expect(load().timeoutMs).toBe(1_800_000);
  });

  it.each(['CHAIN_USDC_ADDRESS', 'CHAIN_TREASURY', 'CHAIN_ADMIN', 'CHAIN_SETTLER', 'CHAIN_PAYER'])(
    'wants %s, free of slips',
    (variable) => {
      expect(() => load({ [variable]: '' })).toThrow(`${variable}: it is required`);
      const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
      expect(() => load({ [variable]: checksummed })).not.toThrow();
      for (const slip of [checksummed.replace('Ae', 'aE'), ZeroAddress, `${checksummed}0`, 'treasury']) {
        expect(() => load({ [variable]: slip })).toThrow(`${variable}: must be an EVM address`);
      }
    },
  );

  it.each([
    ['CHAIN_TREASURY', 'CHAIN_SETTLER', settler],
    ['CHAIN_SETTLER', 'CHAIN_PAYER', payer.toLowerCase()],
    ['CHAIN_PAUSER', 'CHAIN_SETTLER', settler],
    ['CHAIN_ADMIN', 'CHAIN_DEPLOYER_KEY', deployer.address],
    ['CHAIN_TREASURY', 'CHAIN_USDC_ADDRESS', usdc],
  ])('refuses %s where it is that of %s', (variable, other, address) => {
    expect(() => load({ [variable]: address })).toThrow(
      new RegExp(`${variable}: must be an account of its own: .*(${variable}|${other}) and .* are the same`),
    );
  });

  it.each(['0', '1.5', '-1', '1e9', '1000000000000000000'])('refuses a cap of %s', (cap) => {
    expect(() => load({ CHAIN_CAP_ALL_DAY: cap })).toThrow(/CHAIN_CAP_ALL_DAY: .*base units/);
  });
});
