import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider, begin } from '../honest-provider/honest-provider';
import { deltaEvent } from '../honest-provider/wire-format';

const PAUSE_MS = 300;

/**
 * A token now and then, often enough for whoever watches the silence between two, and never a last one: it keeps connections busy for
 * as long as they let it.
 */
export class Trickles extends HonestProvider {
  protected override async serve(request: ChatRequest, response: ServerResponse): Promise<void> {
    if (!request.stream) return super.serve(request, response);
    begin(request, response);
    while (!response.destroyed) {
      response.write(deltaEvent({ content: '.' }));
      await sleep(PAUSE_MS);
    }
  }
}
