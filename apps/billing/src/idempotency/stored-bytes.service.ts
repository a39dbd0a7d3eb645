import { Injectable } from '@nestjs/common';
import { BillingConfig } from '../billing.config';
import { IdempotencyMetrics } from './idempotency.metrics';
import { StoredBytesStore } from './stored-bytes.store';

/** What other instances store meanwhile is not seen. */
const READ_AGAIN_MS = 10_000;
/** One wallet's part of the whole: it takes so many to fill it. */
const WALLETS_TO_FILL = 16;

/** Bounds what is kept of replies: their price is not in what a request costs. */
@Injectable()
export class StoredBytes {
  private bytes = 0;
  private readUntilMs = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly config: BillingConfig,
    private readonly store: StoredBytesStore,
    private readonly metrics: IdempotencyMetrics,
  ) {}

  /** From so many bytes on nothing more is kept for a wallet. */
  get mostOfWallet(): number {
    return Math.floor(this.config.storedResponsesMaxBytes / WALLETS_TO_FILL);
  }

  /** Whether nothing more is kept for anybody, as far as this instance knows. */
  async isFull(): Promise<boolean> {
    if (performance.now() >= this.readUntilMs) {
      this.reading ??= this.read().finally(() => (this.reading = undefined));
      await this.reading;
    }
    return this.bytes >= this.config.storedResponsesMaxBytes;
  }

  added(bytes: number): void {
    this.bytes += bytes;
  }

  /** Forgets what is past its time, and reads anew what is kept. */
  async renew(): Promise<void> {
    await this.store.forget();
    await this.read();
  }

  private async read(): Promise<void> {
    this.bytes = await this.store.sum();
    this.readUntilMs = performance.now() + READ_AGAIN_MS;
    const { storedResponsesMaxBytes: most } = this.config;
    this.metrics.kept(this.bytes, most === 0 ? 0 : this.bytes / most);
  }
}
