import type { IncomingMessage } from 'node:http';
import { TestHttpServer, bodyOf } from '../honest-provider/test-server';

/** Takes every request and never says a word. */
export class HangsBeforeHeaders extends TestHttpServer {
  protected async handle(request: IncomingMessage): Promise<void> {
    await bodyOf(request);
  }
}
