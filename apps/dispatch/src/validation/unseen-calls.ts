import { endOfString } from '@svc/validation';
import type { RawToolCall } from './raw-tool-call';
import type { ReplyRules } from './reply-rules';
import { unseenBytes } from './unseen-text';

/**
 * What nobody sees of the calls that are wanted: blanks between the values of a document. What stands in its texts, a file of code perhaps,
 * is the value itself. UTF-8 bytes.
 */
export function unseenCallBytes(calls: RawToolCall[], { parallelCalls }: ReplyRules): number {
  const wanted = parallelCalls ? calls : calls.slice(0, 1);
  return wanted.reduce((bytes, call) => bytes + unseenBytes(outsideTexts(call.arguments)), 0);
}

/** A JSON document, or the beginning of one, with its texts left empty. */
function outsideTexts(json: string): string {
  let outside = '';
  let from = 0;
  for (let quote = json.indexOf('"'); quote !== -1; quote = json.indexOf('"', from)) {
    outside += json.slice(from, quote + 1);
    from = endOfString(json, quote) + 1;
  }
  return outside + json.slice(from);
}
