import { dueContracts } from './due.contracts';
import { holdContracts } from './hold.contracts';
import { idempotencyContracts } from './idempotency.contracts';
import { keyContracts } from './key.contracts';
import { ledgerContracts } from './ledger.contracts';
import { receiptContracts } from './receipt.contracts';
import { settlementContracts } from './settlement.contracts';
import { statementContracts } from './statement.contracts';
import { walletOperationContracts } from './wallet-operation.contracts';
import { walletContracts } from './wallet.contracts';

/** Every call that billing answers. Who may make which is said by the NATS users' permissions. */
export const billingContracts = {
  ...dueContracts,
  ...holdContracts,
  ...idempotencyContracts,
  ...keyContracts,
  ...ledgerContracts,
  ...receiptContracts,
  ...settlementContracts,
  ...statementContracts,
  ...walletContracts,
  ...walletOperationContracts,
};
