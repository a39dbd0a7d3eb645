import type { JsonRpcProvider, Subscriber } from 'ethers';

/**
 * Looks for a transaction's receipt at every interval. ethers' own looks once and then at each new block, and its count of blocks begins
 * after that look: the block that comes in between is none to it. A chain that mines for transactions alone has no next one.
 */
export class ReceiptSubscriber implements Subscriber {
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;

  constructor(
    private readonly provider: JsonRpcProvider,
    private readonly hash: string,
  ) {}

  start(): void {
    this.timer ??= setInterval(() => void this.look(), this.provider.pollingInterval);
    void this.look();
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  pause(): void {
    this.stop();
  }

  resume(): void {
    this.start();
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const receipt = await this.provider.getTransactionReceipt(this.hash);
      if (receipt) await this.provider.emit(this.hash, receipt);
    } catch {
      // A server that is away for now is asked again.
    } finally {
      this.isLooking = false;
    }
  }
}
