import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider, begin } from '../honest-provider/honest-provider';
import { deltaEvent } from '../honest-provider/wire-format';

/** Answers plain requests well. A stream of it never ends, and is as fast as the reader lets it be. */
export class NeverEnds extends HonestProvider {
  protected override async serve(request: ChatRequest, response: ServerResponse): Promise<void> {
    if (!request.stream) return super.serve(request, response);
    begin(request, response);
    const words = deltaEvent({ content: 'and on ' }).repeat(50);
    while (!response.destroyed) {
      response.write(words);
      await sleep(1);
    }
  }
}
