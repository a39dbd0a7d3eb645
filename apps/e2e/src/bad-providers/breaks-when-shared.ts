import type { ServerResponse } from 'node:http';
import type { ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider } from '../honest-provider/honest-provider';

/** Serves one request at a time. When a second comes meanwhile it falls over: both connections break. */
export class BreaksWhenShared extends HonestProvider {
  private readonly open = new Set<ServerResponse>();

  /** As a small model's, so that requests do meet, also where some of them come late. */
  protected override get pace(): { tickMs: number; tokensPerTick: number } {
    return { tickMs: 40, tokensPerTick: 1 };
  }

  protected override async serve(request: ChatRequest, response: ServerResponse): Promise<void> {
    this.open.add(response);
    if (this.open.size > 1) for (const each of this.open) each.destroy();
    await super.serve(request, response);
    this.open.delete(response);
  }
}
