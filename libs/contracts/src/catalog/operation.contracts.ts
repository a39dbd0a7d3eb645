import { IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { IsId, IsPlainText, IsWallet } from '../fields';
import { defineRpc } from '../rpc-contract';

/** What an operator does and why; it stands in the audit trail. */
class OperatorAct {
  @IsString()
  @Length(1, 500)
  @IsPlainText()
  reason!: string;

  /** Who does it. */
  @IsString()
  @Length(1, 100)
  @IsPlainText()
  actor!: string;
}

/** Takes all of a provider's offers off the market, or lets them back. Errors: invalid_request (404). */
export class JudgeProviderRequest extends OperatorAct {
  @IsWallet()
  provider!: string;
}

/** Takes an offer off the market, lets it back, or has it certified anew. Errors: invalid_request (404, 409). */
export class JudgeOfferRequest extends OperatorAct {
  @IsId()
  offerId!: string;
}

/** Lists what was done to providers and offers, the newest first. */
export class ListAuditRequest {
  /** Of a provider (wallet), an offer, a model; all without one. */
  @IsOptional()
  @IsString()
  @Length(1, 120)
  @IsPlainText()
  subject?: string;

  /** From before this entry on. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  before?: number;

  /** Entries a page; 100 unless told. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1_000)
  limit?: number;
}

export interface AuditEntry {
  id: number;
  /** UTC. */
  at: string;
  /** An operator, a provider's wallet, or `catalog` for what watching and certification decide. */
  actor: string;
  /** E.g. `offer.suspend`, `provider.register`, `offer.live`. */
  action: string;
  subject: string;
  reason: string | null;
}

export interface AuditPage {
  entries: AuditEntry[];
  /** `before` of the next page; null when there is none. */
  next: number | null;
}

const queue = 'catalog';
const timeoutMs = 10_000;
type Done = Record<string, never>;

/** What operators ask (NATS user `setup`). */
export const operationContracts = {
  suspendProvider: defineRpc<JudgeProviderRequest, Done>({
    subject: 'catalog.v1.provider.suspend',
    queue,
    timeoutMs,
    request: JudgeProviderRequest,
  }),
  reinstateProvider: defineRpc<JudgeProviderRequest, Done>({
    subject: 'catalog.v1.provider.reinstate',
    queue,
    timeoutMs,
    request: JudgeProviderRequest,
  }),
  suspendOffer: defineRpc<JudgeOfferRequest, Done>({
    subject: 'catalog.v1.offer.suspend',
    queue,
    timeoutMs,
    request: JudgeOfferRequest,
  }),
  reinstateOffer: defineRpc<JudgeOfferRequest, Done>({
    subject: 'catalog.v1.offer.reinstate',
    queue,
    timeoutMs,
    request: JudgeOfferRequest,
  }),
  certifyOffer: defineRpc<JudgeOfferRequest, Done>({
    subject: 'catalog.v1.offer.certify',
    queue,
    timeoutMs,
    request: JudgeOfferRequest,
  }),
  listAudit: defineRpc<ListAuditRequest, AuditPage>({
    subject: 'catalog.v1.audit.list',
    queue,
    timeoutMs,
    request: ListAuditRequest,
  }),
};
