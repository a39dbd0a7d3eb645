import { toErrorBody } from '@svc/errors';
import type { ErrorPayload } from '@svc/errors';
import { formatUsdc } from '@svc/money';

/** A comment: keeps proxies and clients from giving up a silent stream. */
export const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');

/** What every chunk of one stream says of itself. */
export interface ChunkIdentity {
  completionId: string;
  /** Unix seconds. */
  created: number;
  model: string;
  /** `stream_options.include_usage`: `usage` stands on every chunk. */
  includeUsage: boolean;
}

/**
 * The end of a stream that failed after its 200: an error that official SDKs raise, and what was charged, which is nothing unless the
 * error says otherwise. Of a request that goes on without this client nobody can say what it costs.
 */
export function failureEvents(
  { completionId, created, model, includeUsage }: ChunkIdentity,
  payload: ErrorPayload,
): Buffer {
  const chunk = {
    id: completionId,
    object: 'chat.completion.chunk',
    created,
    model,
    choices: [],
    ...(includeUsage && { usage: null }),
    ...toErrorBody(payload),
    ...(!payload.goesOn && { svc: { cost_usdc: payload.costUsdc ?? formatUsdc(0n) } }),
  };
  return Buffer.from(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
}
