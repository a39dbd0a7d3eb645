import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { billingContracts } from '@svc/contracts';
import { usdcOf } from '@svc/money';
import { ServiceClient } from '../../messaging/service-client';
import { positionCard } from '../wallet/position-card';
import { WalletPositionService } from '../wallet/wallet-position.service';
import { LOOK_EVERY_MS } from './live-terms';
import { WalletFeed } from './wallet-feed';
import type { FeedListener, Look } from './wallet-feed';

/** One feed a wallet, as long as anybody listens to it. */
@Injectable()
export class WalletFeeds {
  private readonly feeds = new Map<string, WalletFeed>();

  constructor(
    private readonly positions: WalletPositionService,
    private readonly services: ServiceClient,
  ) {}

  /** @returns ends it */
  listen(wallet: string, listener: FeedListener): () => void {
    let feed = this.feeds.get(wallet);
    if (!feed) this.feeds.set(wallet, (feed = new WalletFeed(() => this.look(wallet), LOOK_EVERY_MS)));
    const heard = feed;
    heard.add(listener);
    return () => {
      heard.remove(listener);
      if (heard.isIdle && this.feeds.get(wallet) === heard) this.feeds.delete(wallet);
    };
  }

  private async look(wallet: string): Promise<Look> {
    const requestId = `live_${randomUUID()}`;
    const [position, { lines }] = await Promise.all([
      this.positions.show(wallet, requestId),
      this.services.call(billingContracts.listUsage, { wallet, limit: 1 }, requestId),
    ]);
    const [newest] = lines;
    return {
      position: positionCard(position),
      usage: newest && {
        request_id: newest.requestId,
        outcome: newest.outcome,
        created_at: newest.createdAt,
        model: newest.model,
        cost_usdc: usdcOf(newest.charged),
        charged_usdc: usdcOf(position.posted),
      },
    };
  }
}
