import { readStream } from '../exchange/event-stream';
import type { Exchange } from '../exchange/exchange';
import type { Call } from '../shape/reply-parts';
import { ensure } from '../shape/rules';

interface ChunkChoice {
  finish_reason?: unknown;
  delta?: { role?: string; content?: string | null; tool_calls?: (Call & { index: number })[] };
}

type Chunk = Record<string, unknown>;

export function choicesOf(chunk: Chunk | undefined): ChunkChoice[] {
  return Array.isArray(chunk?.choices) ? (chunk.choices as ChunkChoice[]) : [];
}

/** Every chunk with a choice. @throws Deviation when there is none */
export function contentChunksOf(exchange: Exchange): Chunk[] {
  const contents = readStream(exchange).chunks.filter((each) => choicesOf(each).length > 0);
  ensure(contents.length > 0, 'the stream has no chunk with a choice');
  return contents;
}

/** @throws Deviation when there is no chunk at all */
export function lastOf(exchange: Exchange): Chunk {
  const last = readStream(exchange).chunks.at(-1);
  ensure(last !== undefined, 'the stream has no chunk');
  return last;
}

/** The calls of a stream, in the order of their index. */
export function streamedCallsOf(exchange: Exchange): (Call & { index: number })[] {
  return contentChunksOf(exchange).flatMap((each) => choicesOf(each)[0]?.delta?.tool_calls ?? []);
}
