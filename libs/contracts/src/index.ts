export { defineRpc } from './rpc-contract';
export type { RequestClass, RpcContract } from './rpc-contract';
export { IsBaseUnits, IsId, IsKeyHash, IsModelId, IsWallet, MODEL_ID_PATTERN } from './fields';
export {
  AdmitHoldRequest,
  CheckKeyRequest,
  CreateKeyRequest,
  HoldReference,
  RegisterWalletRequest,
  ReinstateWalletRequest,
  RenewHoldsRequest,
  RevokeKeyRequest,
  SETTLEMENT_QUEUE,
  ServedUsage,
  SettleHoldRequest,
  ShowTrialBalanceRequest,
  ShowWalletRequest,
  SuspendWalletRequest,
  billingContracts,
} from './billing.contracts';
export type {
  AdmittedHold,
  CheckedKey,
  CreatedKey,
  RenewedHolds,
  SettledHold,
  TokenSource,
  TrialBalance,
  WalletPosition,
} from './billing.contracts';
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
} from './dispatch.contracts';
export type { HealthReport, OfferHealthReport } from './dispatch.contracts';
export { FRAME_TYPES, INSTANCE_ID_LENGTH, RUN_CREDIT_BYTES, decodeFrame, encodeFrame } from './run-frames';
export type { FrameType, RunFrame } from './run-frames';
