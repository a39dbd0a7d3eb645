import { EVERY_LINE_END } from './line-ends';
import type { WholeReply } from './whole-reply';

/** What stands around a reply's texts, and around each of its calls: ids, names, usage, charge. More than there is. */
const ENVELOPE_BYTES = 4 * 1024;
const CALL_ENVELOPE_BYTES = 512;
/** JSON writes a control character as `\u0000`. */
const BYTES_PER_OUTPUT_BYTE = 6;
/** Up to here nobody needs to know more exactly. */
const SURELY_SMALL_BYTES = 512 * 1024;
/** The longest tokens there are, runs of spaces, have 128 characters. */
const OUTPUT_BYTES_PER_TOKEN = 128;
const OUTPUT_BYTES_BASE = 16 * 1024;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
/** Tokens without bytes that a reply may have: its beginning and end, and the marks around a tool call. */
const SILENT_TOKENS = 16;
const SILENT_TOKENS_PER_CALL = 32;

/** More than this cannot be `maxTokens` tokens. */
export function maxOutputBytes(maxTokens: number): number {
  return Math.min(OUTPUT_BYTES_BASE + maxTokens * OUTPUT_BYTES_PER_TOKEN, MAX_OUTPUT_BYTES);
}

/** How many of a reply's tokens may have left no bytes. */
export function silentTokens(toolCalls: number): number {
  return SILENT_TOKENS + toolCalls * SILENT_TOKENS_PER_CALL;
}

/** At most how many bytes a reply takes as a body, or what is left of it as chunks. */
export function bodyBytes({ content, refusal, reasoning, toolCalls, outputBytes }: WholeReply): number {
  const beside = toolCalls.flatMap(({ extraContent = [] }) => extraContent);
  const besideBytes = beside.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(beside));
  const envelope = ENVELOPE_BYTES + toolCalls.length * CALL_ENVELOPE_BYTES + besideBytes;
  const bound = outputBytes * BYTES_PER_OUTPUT_BYTE;
  if (bound <= SURELY_SMALL_BYTES) return envelope + bound;
  const json = JSON.stringify({ content, refusal, reasoning, toolCalls });
  return envelope + Buffer.byteLength(json) + escapedLineEndBytes(json);
}

/** What `ChunkWriter` adds to them: six bytes in place of two or three. */
function escapedLineEndBytes(json: string): number {
  let bytes = 0;
  for (const [end] of json.matchAll(EVERY_LINE_END)) bytes += 6 - Buffer.byteLength(end);
  return bytes;
}
