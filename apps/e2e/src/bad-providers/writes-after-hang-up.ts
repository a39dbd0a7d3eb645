import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider } from '../honest-provider/honest-provider';

/** How long what nobody reads any more keeps its place: as long as a slow model takes to the end of its answer. */
const TO_THE_END_MS = 30_000;

/**
 * Serves well whoever stays to the end. When a caller hangs up, it goes on writing for nobody, and the place stays taken: whoever
 * comes next is told 429.
 */
export class WritesAfterHangUp extends HonestProvider {
  private readonly stopping = new AbortController();

  protected override async serve(request: ChatRequest, response: ServerResponse): Promise<void> {
    await super.serve(request, response);
    if (!response.destroyed) return;
    await sleep(TO_THE_END_MS, undefined, { signal: this.stopping.signal, ref: false }).catch(
      () => undefined,
    );
  }

  override async stop(): Promise<void> {
    this.stopping.abort();
    await super.stop();
  }
}
