export type { RequestClass, RpcContract } from './rpc-contract';
export { IsBaseUnits, IsModelId, IsPlainText, IsSignature } from './fields';
export { MOST_REASON_CHARS } from './operator-act';
export { ListAuditRequest } from './audit';
export type { AuditEntry, AuditPage } from './audit';
export { billingContracts } from './billing/billing.contracts';
export {
  AdmitHoldRequest,
  HoldReference,
  ReleaseHoldRequest,
  IdempotencyClaim,
  MOST_RENEWED_HOLDS,
  RenewHoldsRequest,
  SETTLEMENT_QUEUE,
  SettleHoldRequest,
} from './billing/hold.contracts';
export type { AdmittedHold, RenewedHolds, SettledHold } from './billing/hold.contracts';
export { RequestFailure, RouteStep, ServedUsage, TOKEN_SOURCES } from './billing/served-usage';
export type { TokenSource } from './billing/served-usage';
export { ListDuesRequest, ShowDueRequest } from './billing/due.contracts';
export type { DueList, DueReceipt, DueView, WalletDue } from './billing/due.contracts';
export {
  FindIdempotentRequest,
  MAX_RESPONSE_PARTS,
  RESPONSE_PART_BYTES,
  ReadResponseRequest,
  StoreResponseRequest,
} from './billing/idempotency.contracts';
export type { FoundIdempotent, ResponsePart, StoredResponse } from './billing/idempotency.contracts';
export {
  BUDGET_RESETS,
  CheckKeyRequest,
  CreateKeyRequest,
  ListKeysRequest,
  MAX_KEYS,
  MAX_KEY_VALUES,
  MAX_LIVE_KEYS,
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
export { IsPageCursor, MAX_STATEMENT_PAGE, TIME_UNITS, isTimeUnit } from './billing/statement-page';
export type { TimeUnit } from './billing/statement-page';
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
  ShowUsageRequest,
  SummariseUsageRequest,
  USAGE_EXPORT,
  USAGE_OUTCOMES,
  UsageLineSelection,
  UsageSelection,
} from './billing/usage.contracts';
export type {
  ServedLine,
  UnservedLine,
  UsageDetail,
  UsageDimension,
  UsageGroup,
  UsageLine,
  UsageList,
  UsageOutcome,
  UsageSummary,
  UsageSums,
} from './billing/usage.contracts';
export {
  CHAIN_JOB_STATES,
  ListBatchesRequest,
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
  BatchTransaction,
  BatchView,
  ChainJobState,
  ClaimView,
  SettlementDifference,
  SettlementView,
} from './billing/settlement.contracts';
export {
  MAX_SIGNED_MESSAGE,
  RegisterWalletRequest,
  ShowWalletRequest,
  VerifySignatureRequest,
} from './billing/wallet.contracts';
export type { VerifiedSignature, WalletPosition } from './billing/wallet.contracts';
export {
  JudgeWalletRequest,
  ListWalletsRequest,
  IsWalletCursor,
  MAX_WALLET_PAGE,
} from './billing/wallet-operation.contracts';
export type { WalletPage, WalletSummary } from './billing/wallet-operation.contracts';
export { catalogContracts } from './catalog/catalog.contracts';
export { ManagedVendorDefinition, RoutingModelDefinition } from './catalog/answering.contracts';
export { REASONING_FIELDS } from './catalog/answering.contracts';
export type { OutputLimitField, ReasoningField } from './catalog/answering.contracts';
export {
  ApplyCatalogueRequest,
  BundleDefinition,
  ModelCapabilities,
  ModelDefinition,
  ProfileDefinition,
  ShowCatalogueRequest,
  ToolContract,
} from './catalog/catalogue.contracts';
export type { AppliedCatalogue, ShownCatalogue, ShownManagedVendor } from './catalog/catalogue.contracts';
export { METERING_VERSION, ShowCertificationRequest } from './catalog/certification.contracts';
export type {
  CertificationKind,
  CertificationProgress,
  CertificationReport,
  CertificationStatus,
  CertifiedScope,
  ProbeExchange,
  ProbeRefusal,
  ProbeReport,
  ProbeStatus,
} from './catalog/certification.contracts';
export { MOST_MARKET_MODELS, MOST_MARKET_OFFERS, ShowMarketRequest } from './catalog/market.contracts';
export type { MarketOffer, ModelMarket, ShownMarket } from './catalog/market.contracts';
export { ListProvidersRequest, MAX_PROVIDER_PAGE, ShowOverviewRequest } from './catalog/overview.contracts';
export type { CatalogueOverview, ProviderPage, ProviderSummary } from './catalog/overview.contracts';
export { ListBuildsRequest, MOST_BUILDS, ShowOfferTermsRequest } from './catalog/offer-form.contracts';
export type { DefinedBuilds, SignedOfferTerms } from './catalog/offer-form.contracts';
export { JudgeOfferRequest, JudgeProviderRequest } from './catalog/operation.contracts';
export {
  IdentifyProviderRequest,
  MAX_PRICE_PER_MTOK,
  OfferTerms,
  RegisterProviderRequest,
  ShowProviderRequest,
  ShowSupplyTermsRequest,
  SignedAct,
  SubmitOfferRequest,
  WithdrawOfferRequest,
} from './catalog/supply.contracts';
export type {
  OfferHealth,
  OfferReason,
  OfferState,
  OfferStatus,
  ProviderStatus,
  SupplyTerms,
} from './catalog/supply.contracts';
export { IsUtcTime, isUtcTime } from './utc-time';
export {
  CATALOG_BUCKETS,
  catalogKey,
  isManagedOfferId,
  isOfferOver,
  managedOfferId,
} from './catalog/catalog.views';
export type {
  CertifiedFeatures,
  ModelView,
  OfferView,
  ParallelBeside,
  RoutingModelView,
  ViewPricing,
} from './catalog/catalog.views';
export {
  CreatePlanRequest,
  MOST_PASSED_OVER,
  MOST_WHY_CHARS,
  RequestNeeds,
  RoutingTerms,
  cortexContracts,
} from './cortex.contracts';
export type { PassedOver, Plan, PlannedAttempt } from './cortex.contracts';
export {
  DISPATCH_SUBJECTS,
  GATEWAY_SUBJECTS,
  MOST_RUN_ATTEMPTS,
  RunAttempt,
  RunHold,
  RunPassedOver,
  StartRunRequest,
  subscriberOf,
} from './dispatch.contracts';
export type { FrameSubscriber } from './dispatch.contracts';
export {
  HEALTH_REPORT_MS,
  HealthReport,
  LEAST_BYTES_PER_TOKEN,
  MOST_OFFERS_A_REPORT,
  MOST_WALLET_TAGS,
  OfferHealthReport,
} from './health-report';
export {
  CheckEndpointRequest,
  PingEndpointRequest,
  ProbeCallRequest,
  ProbedEndpoint,
  probeContracts,
} from './probe.contracts';
export type {
  CheckedEndpoint,
  PingedEndpoint,
  ProbeFailure,
  ProbeObservation,
  ProbeReply,
  ProbeToolCall,
} from './probe.contracts';
export { FAILURE_REASONS, isFailureReason } from './failure-reason';
export type { FailureReason } from './failure-reason';
export { FINISH_REASONS } from './finish-reason';
export type { FinishReason } from './finish-reason';
export { EventShell, packEvents } from './event-shell';
export type { PackedEvents } from './event-shell';
export { FORWARDED_FIELDS, PROMPT_FIELDS, RUN_BODY_FIELDS } from './run-body-fields';
export {
  CLIENT_STALL_MS,
  MOST_CLIENT_WAITING_MS,
  MOST_RUN_BLOCKED_MS,
  RUN_HEARD_EVERY_MS,
  RUN_SILENCE_MS,
  SUBSCRIBER_PATIENCE_MS,
} from './run-timing';
export { INSTANCE_ID_LENGTH, RUN_CREDIT_BYTES, decodeFrame, encodeFrame } from './run-frames';
export type { FrameType, RunFrame } from './run-frames';
