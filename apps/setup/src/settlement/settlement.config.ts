import { EVM_ADDRESS, Env, Fits, PRIVATE_KEY } from '@svc/config';
import { DEFAULT_CAPS } from '@svc/contracts-evm';
import type { SettlementTerms } from '@svc/contracts-evm';
import { Checked } from '@svc/validation';
import type { Problem } from '@svc/validation';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { ZeroAddress, computeAddress, isAddress } from 'ethers';
import { ChainStepConfig } from '../setup.config';

/** Far below the 96 bits the contract has for one. */
const CAP = { pattern: /^[1-9][0-9]{0,17}$/, message: 'must be base units (10^-6 USDC) in plain digits' };

export class SettlementConfig extends ChainStepConfig {
  /** Until what was deployed is final: a quarter of an hour on many chains. */
  override timeoutMs: number = 1_800_000;

  /** Pays for the deployment and has no role afterwards. Never logged. */
  @Env('CHAIN_DEPLOYER_KEY')
  @Fits(PRIVATE_KEY)
  deployerKey!: string;

  /** How many blocks deep the contract must lie where the chain does not say what is final. */
  @Env('CHAIN_CONFIRMATIONS')
  @IsInt()
  @Min(0)
  @Max(100_000)
  confirmations: number = 12;

  /** The token, for good. */
  @Env('CHAIN_USDC_ADDRESS')
  @Checked(itsOwn)
  usdcAddress!: string;

  /** Where settled tokens go, for good, and payouts come from. */
  @Env('CHAIN_TREASURY')
  @Checked(itsOwn)
  treasury!: string;

  /** Grants roles, changes caps, ends a pause. */
  @Env('CHAIN_ADMIN')
  @Checked(itsOwn)
  admin!: string;

  /** Collects: the address of billing's SETTLER_KEY. */
  @Env('CHAIN_SETTLER')
  @Checked(itsOwn)
  settler!: string;

  /** Publishes what providers have earned: the address of billing's PAYER_KEY. */
  @Env('CHAIN_PAYER')
  @Checked(itsOwn)
  payer!: string;

  /** Pauses; the admin unless told. */
  @Env('CHAIN_PAUSER')
  @IsOptional()
  @Checked(itsOwn)
  pauser?: string;

  @Env('CHAIN_CAP_PAYER_DAY')
  @Fits(CAP)
  payerDayCap: string = String(DEFAULT_CAPS.payerDay);

  @Env('CHAIN_CAP_ALL_DAY')
  @Fits(CAP)
  allDayCap: string = String(DEFAULT_CAPS.allDay);

  @Env('CHAIN_CAP_PAYOUT_DAY')
  @Fits(CAP)
  payoutDayCap: string = String(DEFAULT_CAPS.payoutDay);

  get terms(): SettlementTerms {
    return {
      usdc: this.usdcAddress,
      treasury: this.treasury,
      admin: this.admin,
      settler: this.settler,
      payer: this.payer,
      pauser: this.pauser ?? this.admin,
      caps: {
        payerDay: BigInt(this.payerDayCap),
        allDay: BigInt(this.allDayCap),
        payoutDay: BigInt(this.payoutDayCap),
      },
    };
  }
}

/**
 * An address that stays what it is: a slip of the pen shows in its checksum (EIP-55). And nobody is two of them, for each
 * account bounds what the theft of another can do (docs/contracts.md); the admin alone may pause, too.
 */
function itsOwn(address: unknown, config: object): Problem | undefined {
  const isOne = typeof address === 'string' && EVM_ADDRESS.pattern.test(address) && isAddress(address);
  if (!isOne || address === ZeroAddress) {
    return { path: '', message: 'must be an EVM address, its checksum right if it has one' };
  }
  const names = accountsOf(config as SettlementConfig)
    .filter(([, other]) => other?.toLowerCase() === address.toLowerCase())
    .map(([name]) => name);
  if (names.length < 2) return undefined;
  return { path: '', message: `must be an account of its own: ${names.join(' and ')} are the same` };
}

function accountsOf(config: SettlementConfig): [variable: string, address: string | undefined][] {
  const { deployerKey, pauser, admin } = config;
  return [
    ['CHAIN_DEPLOYER_KEY', PRIVATE_KEY.pattern.test(deployerKey) ? computeAddress(deployerKey) : undefined],
    ['CHAIN_USDC_ADDRESS', config.usdcAddress],
    ['CHAIN_TREASURY', config.treasury],
    ['CHAIN_ADMIN', admin],
    ['CHAIN_SETTLER', config.settler],
    ['CHAIN_PAYER', config.payer],
    ['CHAIN_PAUSER', pauser?.toLowerCase() === admin?.toLowerCase() ? undefined : pauser],
  ];
}
