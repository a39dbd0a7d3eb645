export { defineRpc } from './rpc-contract';
export type { RequestClass, RpcContract } from './rpc-contract';
export { IsBaseUnits, IsDigest, IsId, IsKeyHash, IsModelId, IsWallet, MODEL_ID_PATTERN } from './fields';
export { billingContracts } from './billing/billing.contracts';
export {
  AdmitHoldRequest,
  HoldReference,
  ReleaseHoldRequest,
  IdempotencyClaim,
  RenewHoldsRequest,
  SETTLEMENT_QUEUE,
  ServedUsage,
  SettleHoldRequest,
} from './billing/hold.contracts';
export type { AdmittedHold, RenewedHolds, SettledHold, TokenSource } from './billing/hold.contracts';
export {
  FindIdempotentRequest,
  MAX_RESPONSE_PARTS,
  RESPONSE_PART_BYTES,
  ReadResponseRequest,
  StoreResponseRequest,
} from './billing/idempotency.contracts';
export type { FoundIdempotent, ResponsePart, StoredResponse } from './billing/idempotency.contracts';
export {
  CheckKeyRequest,
  CreateKeyRequest,
  ListKeysRequest,
  MAX_ROTATION_OVERLAP_SECONDS,
  RevokeKeyRequest,
  RotateKeyRequest,
  ShowKeyRequest,
  UpdateKeyRequest,
} from './billing/key.contracts';
export type { BudgetReset, CheckedKey, CreatedKey, KeyList, KeyView } from './billing/key.contracts';
export { CreditWalletRequest, RefundRequest, ShowTrialBalanceRequest } from './billing/ledger.contracts';
export type { CreditOutcome, TrialBalance } from './billing/ledger.contracts';
export { ShowReceiptRequest } from './billing/receipt.contracts';
export type {
  CreditReceipt,
  Receipt,
  ReceiptDocument,
  ReceiptKind,
  ReceiptSettlement,
  UsageReceipt,
} from './billing/receipt.contracts';
export { MAX_STATEMENT_PAGE } from './billing/statement-page';
export { ListCreditsRequest, ListEarningsRequest, ShowPositionRequest } from './billing/statement.contracts';
export type {
  CreditLine,
  CreditList,
  EarningLine,
  EarningList,
  EarningSums,
  StatementPosition,
  WalletSuspension,
} from './billing/statement.contracts';
export {
  ExportUsageRequest,
  ListUsageRequest,
  SummariseUsageRequest,
  USAGE_EXPORT,
  UsageSelection,
} from './billing/usage.contracts';
export type {
  UsageDimension,
  UsageGroup,
  UsageLine,
  UsageList,
  UsageSummary,
  UsageSums,
} from './billing/usage.contracts';
export {
  ListBatchesRequest,
  MAX_BATCH_PAGE,
  PauseSettlementRequest,
  ResumeSettlementRequest,
  ShowBatchRequest,
  ShowClaimRequest,
  ShowSettlementRequest,
} from './billing/settlement.contracts';
export type {
  BatchDue,
  BatchPage,
  BatchSummary,
  BatchView,
  ClaimView,
  SettlementDifference,
  SettlementView,
} from './billing/settlement.contracts';
export {
  RegisterWalletRequest,
  ReinstateWalletRequest,
  ShowWalletRequest,
  SuspendWalletRequest,
} from './billing/wallet.contracts';
export type { WalletPosition } from './billing/wallet.contracts';
export {
  ApplyCatalogueRequest,
  BundleDefinition,
  ModelCapabilities,
  ModelDefinition,
  OfferDefinition,
  ProfileDefinition,
  ProviderDefinition,
  ToolContract,
  catalogContracts,
} from './catalog.contracts';
export type { AppliedCatalogue } from './catalog.contracts';
export { isUtcTime } from './utc-time';
export { CATALOG_BUCKETS, catalogKey } from './catalog.views';
export type { ModelView, OfferView } from './catalog.views';
export { CreatePlanRequest, cortexContracts } from './cortex.contracts';
export type { Plan, PlannedAttempt } from './cortex.contracts';
export {
  DISPATCH_SUBJECTS,
  GATEWAY_SUBJECTS,
  RunAttempt,
  RunHold,
  StartRunRequest,
  subscriberOf,
} from './dispatch.contracts';
export type { FrameSubscriber, HealthReport, OfferHealthReport } from './dispatch.contracts';
export { FRAME_TYPES, INSTANCE_ID_LENGTH, RUN_CREDIT_BYTES, decodeFrame, encodeFrame } from './run-frames';
export type { FrameType, RunFrame } from './run-frames';
