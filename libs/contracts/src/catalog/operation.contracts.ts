import { ListAuditRequest } from '../audit';
import type { AuditPage } from '../audit';
import { IsId, IsWallet } from '../fields';
import { CatalogAct } from '../operator-act';
import { defineRpc } from '../rpc-contract';

/** Takes all of a provider's offers off the market, or lets them back. Errors: invalid_request (404). */
export class JudgeProviderRequest extends CatalogAct {
  @IsWallet()
  provider!: string;
}

/** Takes an offer off the market, lets it back, or has it certified anew. Errors: invalid_request (404, 409). */
export class JudgeOfferRequest extends CatalogAct {
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
