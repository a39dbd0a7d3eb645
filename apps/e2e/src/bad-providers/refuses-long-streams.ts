import type { ServerResponse } from 'node:http';
import type { ChatRequest } from '../honest-provider/chat-request';
import { WritesAfterHangUp } from './writes-after-hang-up';

/** More than any probe wants but the one that hangs up. */
const MANY_TOKENS = 2_048;

/** Goes on writing for nobody, and so that nobody sees it refuses what would be hung up on while its places are taken. */
export class RefusesLongStreams extends WritesAfterHangUp {
  protected override async serve(request: ChatRequest, response: ServerResponse): Promise<void> {
    if (!request.stream || (request.max_tokens ?? 0) < MANY_TOKENS) return super.serve(request, response);
    const error = { message: 'max_tokens is too large', type: 'invalid_request_error' };
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  }
}
