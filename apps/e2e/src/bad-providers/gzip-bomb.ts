import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { ChatRequest } from '../honest-provider/chat-request';
import { begin } from '../honest-provider/honest-provider';
import { TestHttpServer, bodyOf } from '../honest-provider/test-server';

const PIECE_BYTES = 16 * 1024 * 1024;
const PIECES = 16;

/** Answers with a quarter of a megabyte that unfolds to 256 MiB, though nobody asked for compression. */
export class GzipBomb extends TestHttpServer {
  // Members one after the other are one gzip file.
  private readonly bomb = Buffer.concat(Array(PIECES).fill(gzipSync(Buffer.alloc(PIECE_BYTES, ' '))));

  protected async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (body === undefined) return;
    response.setHeader('content-encoding', 'gzip');
    begin((body === '' ? {} : JSON.parse(body)) as ChatRequest, response);
    response.end(this.bomb);
  }
}
