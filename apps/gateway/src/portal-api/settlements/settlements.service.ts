import { Injectable } from '@nestjs/common';
import { billingContracts } from '@svc/contracts';
import { invalidRequest, isNotFound, notFound } from '@svc/errors';
import type { SvcError } from '@svc/errors';
import { ServiceClient } from '../../messaging/service-client';
import { pageRequestOf } from '../page-query.dto';
import type { PageQuery } from '../page-query.dto';
import { settlementCard, settlementDetails } from './settlement-card';
import type { SettlementList, SettlementReply } from './settlement.dto';

const BATCH_ID = /^0x[0-9a-f]{64}$/;

/** The batches that collect what the wallet owes; of other wallets' lines nothing is told. */
@Injectable()
export class SettlementsService {
  constructor(private readonly services: ServiceClient) {}

  /** @throws SvcError invalid_request */
  async list(wallet: string, query: PageQuery, requestId: string): Promise<SettlementList> {
    const { cursor: before, limit } = pageRequestOf(query);
    if (before !== undefined && !BATCH_ID.test(before)) {
      throw invalidRequest('cursor must be the `next` of the page before.', 'cursor');
    }
    const request = {
      wallet,
      ...(before !== undefined && { before }),
      ...(limit !== undefined && { limit }),
    };
    const { dues, next } = await this.services.call(billingContracts.listDues, request, requestId);
    return { settlements: dues.map(settlementCard), next };
  }

  /** @throws SvcError invalid_request; 404 in the same words for no batch, one without the wallet, and no id at all */
  async show(wallet: string, id: string, query: PageQuery, requestId: string): Promise<SettlementReply> {
    if (!BATCH_ID.test(id)) throw noSettlement();
    try {
      const request = { wallet, batchId: id, ...pageRequestOf(query) };
      return settlementDetails(await this.services.call(billingContracts.showDue, request, requestId));
    } catch (error) {
      throw isNotFound(error) ? noSettlement() : error;
    }
  }
}

function noSettlement(): SvcError {
  return notFound('Your wallet has no line in such a batch.', 'id');
}
