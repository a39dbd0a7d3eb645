import { Injectable } from '@nestjs/common';
import { billingContracts } from '@svc/contracts';
import type { CreditList, StatementPosition } from '@svc/contracts';
import { isNotFound } from '@svc/errors';
import { ServiceClient } from '../../messaging/service-client';
import { pageRequestOf } from '../page-query.dto';
import type { CreditsQuery } from './position.dto';

/** What the wallet that is signed in has, owes and may spend. */
@Injectable()
export class WalletPositionService {
  /** Readings of the chain that are under way, by wallet: who asks meanwhile gets the same one. */
  private readonly readings = new Map<string, Promise<void>>();

  constructor(private readonly services: ServiceClient) {}

  /** A wallet that billing has not met becomes known to it, with what the chain says of it. */
  async show(wallet: string, requestId: string): Promise<StatementPosition> {
    try {
      return await this.read(wallet, requestId);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return this.refresh(wallet, requestId);
    }
  }

  /** As the chain is at this moment, without waiting for billing's next look at it. */
  async refresh(wallet: string, requestId: string): Promise<StatementPosition> {
    let reading = this.readings.get(wallet);
    if (!reading) {
      reading = this.services
        .call(billingContracts.registerWallet, { wallet }, requestId)
        .then(() => undefined)
        .finally(() => this.readings.delete(wallet));
      this.readings.set(wallet, reading);
    }
    await reading;
    return this.read(wallet, requestId);
  }

  credits(wallet: string, { kind, ...page }: CreditsQuery, requestId: string): Promise<CreditList> {
    const request = { wallet, ...pageRequestOf(page), ...(kind !== undefined && { kind }) };
    return this.services.call(billingContracts.listCredits, request, requestId);
  }

  private read(wallet: string, requestId: string): Promise<StatementPosition> {
    return this.services.call(billingContracts.showPosition, { wallet }, requestId);
  }
}
