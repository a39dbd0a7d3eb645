import type { IncomingMessage, ServerResponse } from 'node:http';
import { TestHttpServer, bodyOf } from '../honest-provider/test-server';

const PAGE = '<!doctype html><html><body><h1>Welcome to nginx!</h1></body></html>';

/** A web server at the place where a model should be: 200 and a page, whatever is asked. */
export class ServesHtml extends TestHttpServer {
  protected async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await bodyOf(request);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
  }
}
