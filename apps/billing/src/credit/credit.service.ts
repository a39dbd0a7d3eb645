import { Inject, Injectable } from '@nestjs/common';
import type { CreditOutcome, CreditWalletRequest, RefundRequest } from '@svc/contracts';
import { conflict, invalidRequest, notFound } from '@svc/errors';
import { parseBaseUnits } from '@svc/money';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { unknownWallet } from '../wallet/unknown-wallet';
import { CreditStore } from './credit.store';

/**
 * The largest single credit, base units: a billion USDC. A wallet's figures are added to each other in BIGINT by every
 * admission, so that no slip of an operator may bring them near its end.
 */
const MAX_CREDIT = 10n ** 15n;

/** What operators give: credits, and refunds of single requests. Both are new transfers at the platform's cost. */
@Injectable()
export class CreditService {
  constructor(
    private readonly store: CreditStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws SvcError invalid_request: 400 the amount, 404 unknown wallet, 409 the id is another credit's */
  async credit(request: CreditWalletRequest): Promise<CreditOutcome> {
    const amount = parseBaseUnits(request.amount);
    if (amount === 0n) throw invalidRequest('amount must be above 0.', 'amount');
    if (amount > MAX_CREDIT)
      throw invalidRequest(`amount must be at most ${MAX_CREDIT} base units.`, 'amount');
    const state = await this.store.credit(request);
    if (state === 'unknown') throw unknownWallet();
    if (state === 'different')
      throw conflict('Another credit has this id; give this one an id of its own.', 'creditId');
    const { wallet, creditId, actor } = request;
    this.logger.warn({ wallet, creditId, amount: request.amount, actor, state }, 'wallet credited');
    return { state: state === 'repeated' ? 'repeated' : 'given' };
  }

  /** @throws SvcError invalid_request: 404 unknown request, 409 it was not charged */
  async refund(request: RefundRequest): Promise<CreditOutcome> {
    const state = await this.store.refund(request);
    if (state === 'unknown') throw notFound('The wallet has no such request.', 'holdId');
    if (state === 'uncharged')
      throw conflict('The request was not charged: there is nothing to give back.', 'holdId');
    const { wallet, holdId, actor } = request;
    this.logger.warn({ wallet, requestId: holdId, actor, state }, 'request refunded');
    return { state: state === 'repeated' ? 'repeated' : 'given' };
  }
}
