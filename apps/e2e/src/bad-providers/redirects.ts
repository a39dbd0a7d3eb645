import type { IncomingMessage, ServerResponse } from 'node:http';
import { TestHttpServer, bodyOf } from '../honest-provider/test-server';

/**
 * Lives at an address that may be called and sends whoever calls it on to one that may not: a cloud's metadata, or a service inside.
 */
export class Redirects extends TestHttpServer {
  /** @param target e.g. `http://169.254.169.254/latest/meta-data/` */
  constructor(
    private readonly target: string,
    private readonly status: 301 | 302 | 307 | 308 = 307,
  ) {
    super();
  }

  protected async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await bodyOf(request);
    response.writeHead(this.status, { location: this.target }).end();
  }
}
