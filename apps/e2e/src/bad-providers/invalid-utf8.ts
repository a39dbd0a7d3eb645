import type { ServerResponse } from 'node:http';
import type { ChatRequest } from '../honest-provider/chat-request';
import { HonestProvider, begin } from '../honest-provider/honest-provider';

/** The beginning of a character of three bytes, and nothing after it. */
const BROKEN = Buffer.from([0xe4, 0xb8]);

/** Every text it writes has bytes in it that are no UTF-8: half characters, as a server makes that cuts tokens blindly. */
export class InvalidUtf8 extends HonestProvider {
  protected override serve(request: ChatRequest, response: ServerResponse): Promise<void> {
    const answer = this.answer(request);
    begin(request, response);
    for (const part of this.parts(request, answer)) {
      const at = part.indexOf('"content":"') + '"content":"'.length;
      const hasText = part.includes('"content":"') && !part.includes('"content":""');
      const bytes = Buffer.from(part);
      response.write(hasText ? Buffer.concat([bytes.subarray(0, at), BROKEN, bytes.subarray(at)]) : bytes);
    }
    response.end();
    return Promise.resolve();
  }
}
