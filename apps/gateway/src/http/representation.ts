import type { FastifyReply, FastifyRequest } from 'fastify';
import { isAmongTags } from './entity-tag';

/** Bytes that are ready to be sent. */
export interface Representation {
  body: Buffer;
  /** Of these very bytes; without one nothing is compared. */
  etag?: string;
  cacheControl: string;
  /** JSON unless told. */
  contentType?: string;
  contentEncoding?: string;
  /** The request header by which this one was chosen among others. */
  vary?: string;
}

/** Sends it, or 304 with the headers that a 200 would have (RFC 9110, section 15.4.5). HEAD gets the headers of GET. */
export function sendRepresentation(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, etag, cacheControl, contentType, contentEncoding, vary }: Representation,
): void {
  const { raw } = reply;
  raw.setHeader('cache-control', cacheControl);
  if (vary !== undefined) raw.setHeader('vary', vary);
  if (etag !== undefined) {
    raw.setHeader('etag', etag);
    if (isAmongTags(request.headers['if-none-match'], etag)) {
      // Fastify would tell HEAD of a length of 0, which is not the 200's (RFC 9110, section 8.6).
      reply.hijack();
      raw.writeHead(304).end();
      return;
    }
  }
  if (contentEncoding !== undefined) void reply.header('content-encoding', contentEncoding);
  void reply.header('content-type', contentType ?? 'application/json; charset=utf-8').send(body);
}
