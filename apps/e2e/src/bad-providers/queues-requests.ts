import type { ServerResponse } from 'node:http';
import type { ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider } from '../honest-provider/honest-provider';

const PLACES = 2;

/**
 * Takes whatever comes, answers 200 to nobody too many, and writes two replies at a time at the speed of a small model: the others wait
 * in a queue that no status tells of. Short requests hide it; with real ones the last client waits for minutes.
 */
export class QueuesRequests extends HonestProvider {
  private free = PLACES;
  private readonly waiting: (() => void)[] = [];

  constructor() {
    super(Infinity);
  }

  protected override get pace(): { tickMs: number; tokensPerTick: number } {
    return { tickMs: 40, tokensPerTick: 1 };
  }

  protected override async serve(request: ChatRequest, response: ServerResponse): Promise<void> {
    if (this.free === 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.free--;
    try {
      if (!response.destroyed) await super.serve(request, response);
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }
}
