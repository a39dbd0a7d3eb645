import type { ServerResponse } from 'node:http';
import type { ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider } from '../honest-provider/honest-provider';
import { isClients } from './turns-bad';

/** Is certified as an honest server. Told to be flaky, it breaks off every request of a client, and answers probes as ever. */
export class TurnsFlaky extends HonestProvider {
  flaky = false;

  protected override serve(request: ChatRequest, response: ServerResponse): Promise<void> {
    if (!this.flaky || !isClients(request)) return super.serve(request, response);
    response.destroy();
    return Promise.resolve();
  }
}
