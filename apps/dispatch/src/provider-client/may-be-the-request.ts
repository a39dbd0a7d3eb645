import type { CertifiedFeatures, StartRunRequest } from '@svc/contracts';
import { isJsonObject } from '@svc/validation';
import type { ProviderFailure } from './provider-failure';

type Fields = Record<string, unknown>;

/** A prompt of at most this many tokens is read in no time, whatever it holds. */
const SHORT_PROMPT_TOKENS = 2_000;
/** A stop sequence of at most this many characters is written in no time as well. */
const SHORT_STOP_CHARACTERS = 100;

/** What was asked of whom. */
export interface Question {
  request: StartRunRequest;
  /** What the offer may be asked for; undefined for one that is gone. */
  certified: Pick<CertifiedFeatures, 'reasoning'> | undefined;
}

/**
 * Whether an honest server may have failed so for what was asked of it:
 * - models that think do so unasked, and some of their servers show nothing of it: a short question, long thought about, looks like a server
 *   that hangs; so does one with a long stop sequence;
 * - llama.cpp's answers with 500 what its model's template refuses.
 */
export function mayBeTheRequest({ reason }: ProviderFailure, { request, certified }: Question): boolean {
  if (!isPlain(request)) return true;
  const body = request.body as Fields;
  if (reason === 'first_token_timeout') return certified?.reasoning === true || isHeldBack(body);
  return (reason === 'status_5xx' || reason === 'error_event') && !isOfEveryTemplate(body);
}

/** A short prompt, and a text for an answer, without long thought: no more than every server takes in its stride. */
function isPlain({ body, inputEstimate }: StartRunRequest): boolean {
  const asksForMore = 'tools' in body || 'response_format' in body || 'reasoning_effort' in body;
  return !asksForMore && inputEstimate <= SHORT_PROMPT_TOKENS;
}

/** As many characters as may yet become a stop sequence are shown by no server (vLLM's `stop_buffer_length`). */
function isHeldBack({ stop }: Fields): boolean {
  return [stop].flat().some((one) => typeof one === 'string' && one.length > SHORT_STOP_CHARACTERS);
}

/**
 * Texts of a user and an assistant by turns: other orders, and calls, are refused by one template or another. A system message before them is
 * refused by few (Gemma 2's), but it stands in most requests there are: who cannot read it has no business here.
 */
function isOfEveryTemplate({ messages }: Fields): boolean {
  if (!Array.isArray(messages) || !messages.every(isJsonObject)) return false;
  const turns = messages[0]?.role === 'system' ? messages.slice(1) : messages;
  return (
    turns.length % 2 === 1 &&
    turns.every(({ role }, at) => role === (at % 2 === 0 ? 'user' : 'assistant')) &&
    messages.every(({ content, tool_calls: calls }) => typeof content === 'string' && calls === undefined)
  );
}
