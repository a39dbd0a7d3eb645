import { Injectable } from '@nestjs/common';
import { billingContracts } from '@svc/contracts';
import type { UsageDetail } from '@svc/contracts';
import { SvcError, notFound } from '@svc/errors';
import type { ErrorCode } from '@svc/errors';
import { isRequestId } from '../../http/request-ids';
import { ServiceClient } from '../../messaging/service-client';
import type { UsageReceipt } from '../../receipts/receipt.dto';
import { usageDetailCard, usageRequestCard } from './usage-card';
import type { UsageListQuery } from './usage-query.dto';
import { BILLING_NAMES, selectionOf } from './usage-selection';
import type { RequestSettlement, UsageDetailReply, UsageListReply } from './usage.dto';

const DEFAULT_PAGE = 50;
/** What billing says of a receipt that is not made yet, or cannot be shown now. */
const RECEIPT_TO_COME: ReadonlySet<ErrorCode> = new Set(['invalid_request', 'no_capacity']);

/** A wallet's requests; of others not even that they exist. */
@Injectable()
export class UsageRequestsService {
  constructor(private readonly services: ServiceClient) {}

  /** @throws SvcError invalid_request; RpcUnavailableError */
  async list(wallet: string, query: UsageListQuery, requestId: string): Promise<UsageListReply> {
    const { cursor, limit = DEFAULT_PAGE } = query;
    const request = {
      ...selectionOf(wallet, query),
      ...(cursor !== undefined && { cursor }),
      limit: Number(limit),
    };
    const { lines, next } = await this.services.call(
      billingContracts.listUsage,
      request,
      requestId,
      BILLING_NAMES,
    );
    return { object: 'list', data: lines.map(usageRequestCard), next };
  }

  /** @throws SvcError invalid_request (404, in the same words for unknown, malformed and another wallet's); RpcUnavailableError */
  async show(wallet: string, id: string, requestId: string): Promise<UsageDetailReply> {
    if (!isRequestId(id)) throw noRequest();
    const detail = await this.detailOf(wallet, id, requestId);
    const [receipt, settlement] = await Promise.all([
      this.receiptOf(wallet, detail, requestId),
      this.settlementOf(wallet, detail, requestId),
    ]);
    return { ...usageDetailCard(detail), settlement, receipt };
  }

  private async detailOf(wallet: string, id: string, requestId: string): Promise<UsageDetail> {
    try {
      return await this.services.call(billingContracts.showUsage, { wallet, requestId: id }, requestId);
    } catch (error) {
      throw SvcError.is(error) && error.code === 'invalid_request' ? noRequest() : error;
    }
  }

  private async receiptOf(wallet: string, { line }: UsageDetail, requestId: string) {
    if (!isCharged(line)) return null;
    const request = { wallet, requestId: line.requestId };
    try {
      const document = await this.services.call(billingContracts.showReceipt, request, requestId);
      return { ...document, receipt: document.receipt as UsageReceipt };
    } catch (error) {
      // One that is being made is there in a moment: the rest of the page need not wait for it.
      if (SvcError.is(error) && RECEIPT_TO_COME.has(error.code)) return null;
      throw error;
    }
  }

  private async settlementOf(
    wallet: string,
    { line, batchId }: UsageDetail,
    requestId: string,
  ): Promise<RequestSettlement> {
    const none = { batch_id: null, tx_hash: null, settled_at: null };
    if (!isCharged(line)) return { state: 'nothing', ...none };
    if (batchId === null) return { state: 'waiting', ...none };
    const { batch } = await this.services.call(
      billingContracts.showDue,
      { wallet, batchId, limit: 1 },
      requestId,
    );
    return { state: batch.state, batch_id: batchId, tx_hash: batch.txHash, settled_at: batch.settledAt };
  }
}

function isCharged({ outcome, charged }: UsageDetail['line']): boolean {
  return outcome === 'served' && charged !== '0';
}

function noRequest(): SvcError {
  return notFound('There is no such request.', 'request_id');
}
