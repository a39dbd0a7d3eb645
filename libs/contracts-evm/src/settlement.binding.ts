import { BaseContract, Interface } from 'ethers';
import type { BaseContractMethod, ContractRunner, ContractTransactionResponse } from 'ethers';
import { SettlementArtifact } from './generated/settlement';

type View<Args extends unknown[], Result> = BaseContractMethod<Args, Result, Result>;
type Transaction<Args extends unknown[]> = BaseContractMethod<Args, void, ContractTransactionResponse>;

/** One payer's line in a batch. `cumulative` is all it has ever owed, in base units; `root` is 32 bytes in hex. */
export interface Due {
  payer: string;
  cumulative: bigint;
  root: string;
}

/** The most that may be moved in a UTC day, in base units. */
export interface SettlementCaps {
  /** Pulled from one payer. */
  payerDay: bigint;
  /** Pulled from all payers together. */
  allDay: bigint;
  /** Paid to all providers together. */
  payoutDay: bigint;
}

/** The functions of Settlement. Amounts are base units; batch ids, roots and roles are 32 bytes in hex. */
interface SettlementMethods {
  token: View<[], string>;
  treasury: View<[], string>;
  caps: View<[], [payerDay: bigint, allDay: bigint, payoutDay: bigint]>;
  pulled: View<[payer: string], bigint>;
  totalPulled: View<[], bigint>;
  batchRoot: View<[batchId: string], string>;
  payoutRoot: View<[], string>;
  paid: View<[provider: string], bigint>;
  totalPaid: View<[], bigint>;
  paused: View<[], boolean>;
  batchStatus: View<
    [batchId: string, payers: readonly string[]],
    [root: string, paused: boolean, leftToday: bigint, pulled: bigint[]]
  >;
  positionsOf: View<
    [payers: readonly string[]],
    [token: string, positions: [balance: bigint, allowance: bigint, pulled: bigint][]]
  >;
  MAX_DUES: View<[], bigint>;
  SETTLER_ROLE: View<[], string>;
  PAYER_ROLE: View<[], string>;
  PAUSER_ROLE: View<[], string>;
  DEFAULT_ADMIN_ROLE: View<[], string>;
  hasRole: View<[role: string, account: string], boolean>;
  grantRole: Transaction<[role: string, account: string]>;
  revokeRole: Transaction<[role: string, account: string]>;
  settle: Transaction<[batchId: string, dues: readonly Due[]]>;
  publishPayoutRoot: Transaction<[root: string]>;
  /** Anybody may; the tokens go to the provider. */
  claim: BaseContractMethod<
    [provider: string, cumulative: bigint, proof: readonly string[]],
    bigint,
    ContractTransactionResponse
  >;
  setCaps: Transaction<[caps: SettlementCaps]>;
  pause: Transaction<[]>;
  unpause: Transaction<[]>;
}

/** An ethers contract with {@link SettlementMethods}. */
export type Settlement = BaseContract & SettlementMethods;

/** Read once: reading it takes ethers longer than a call does. */
const INTERFACE = new Interface(SettlementArtifact.abi);

/** The settlement contract at `address`; `runner` is a provider for reading, a signer for sending. */
export function settlementAt(address: string, runner: ContractRunner): Settlement {
  return BaseContract.from<SettlementMethods>(address, INTERFACE, runner);
}
