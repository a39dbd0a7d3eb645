import type { ServerResponse } from 'node:http';
import type { ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider, begin } from '../honest-provider/honest-provider';

const BODY = JSON.stringify({ error: { message: 'out of memory', type: 'server_error', code: 500 } });

/** Says 200 and sends an error: as a document, or as the stream's first event. */
export class ErrorsWith200 extends HonestProvider {
  protected override serve(request: ChatRequest, response: ServerResponse): Promise<void> {
    begin(request, response);
    response.end(request.stream ? `data: ${BODY}\n\n` : BODY);
    return Promise.resolve();
  }
}
