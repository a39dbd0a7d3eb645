export { accountThatSigned } from './account-signature';
export { ChainError, isChainError } from './chain-error';
export type { ChainErrorCode } from './chain-error';
export { connectChain } from './connect-chain';
export type { ChainConnection } from './connect-chain';
export { ChainAwayError, ContractWallets } from './contract-wallets';
export type { ContractWalletsOptions } from './contract-wallets';
export { deployContracts } from './deploy-contracts';
export type { DeployedContracts, DeployOptions } from './deploy-contracts';
export {
  dueLeaf,
  duesRoot,
  merkleProof,
  merkleRoot,
  merkleTree,
  payoutLeaf,
  payoutRoot,
  rootFromProof,
} from './merkle';
export type { Earning, MerkleTree } from './merkle';
export { useQuickKeccak } from './quick-keccak';
export { canonicalReceipt, receiptLeaf } from './receipt';
export { readReceiptDocument } from './receipt-document';
export { isReceiptError, ReceiptError } from './receipt-error';
export type { ReceiptErrorCode } from './receipt-error';
export { readSpendable, WALLETS_PER_CALL } from './read-spendable';
export type { SpendableQuery, SpendableReading } from './read-spendable';
export { settlementAt } from './settlement.binding';
export type { Due, Settlement, SettlementCaps, SettlementMethods } from './settlement.binding';
export { deployTestContractWallet } from './test-contract-wallet';
export type { ContractWalletManner } from './test-contract-wallet';
export { testUsdcAt } from './test-usdc.binding';
export type { TestUsdc, TestUsdcMethods } from './test-usdc.binding';
export { verifyReceipt } from './verify-receipt';
export type { ReceiptTrust, VerifiedReceipt } from './verify-receipt';
