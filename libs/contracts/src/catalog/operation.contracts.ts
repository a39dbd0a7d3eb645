import { IsString, Length } from 'class-validator';
import { ListAuditRequest } from '../audit';
import type { AuditPage } from '../audit';
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

const queue = 'catalog';
const timeoutMs = 10_000;
type Done = Record<string, never>;

/** What operators do, over NATS as `setup` or signed in at the portal. */
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
  /** What was done to providers, offers and definitions. */
  listAudit: defineRpc<ListAuditRequest, AuditPage>({
    subject: 'catalog.v1.audit.list',
    queue,
    timeoutMs,
    request: ListAuditRequest,
  }),
};
