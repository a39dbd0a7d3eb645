import { isJsonObject } from '@svc/validation';
import { wholeCharacters } from './character-joiner';
import { concludeReply, finishReasonOf } from './conclude-reply';
import { InvalidReplyError } from './invalid-reply.error';
import { checkRole, optionalText, parseObject, usageOf, wordsOf } from './provider-reply';
import type { Unchecked } from './provider-reply';
import { callBytes, readToolCalls } from './raw-tool-call';
import type { ReplyRules } from './reply-rules';
import type { ReplySchemas } from './schema-checks.service';
import { ProviderErrorEvent } from './stream-reply';
import { isSeen, unseenBytes } from './unseen-text';
import type { WholeReply } from './whole-reply';

/**
 * Reads a provider's whole reply (`chat.completion`).
 * @param maxTokens what the provider was asked to keep to
 * @throws InvalidReplyError when it must not be delivered
 * @throws ProviderErrorEvent
 */
export async function readPlainReply(
  text: string,
  rules: ReplyRules,
  schemas: ReplySchemas,
  maxTokens: number,
): Promise<WholeReply> {
  const body = parseObject(text);
  if (body.error !== undefined && body.error !== null) throw new ProviderErrorEvent();
  if (!Array.isArray(body.choices) || body.choices.length !== 1) throw new InvalidReplyError('shape');
  const choice = (body.choices as unknown[])[0];
  if (!isJsonObject(choice)) throw new InvalidReplyError('shape');
  if (choice.index !== undefined && choice.index !== 0) throw new InvalidReplyError('shape');
  const message = choice.message ?? messageLeftOut(choice.finish_reason);
  if (!isJsonObject(message)) throw new InvalidReplyError('shape');
  checkRole(message.role);
  if (message.function_call !== undefined && message.function_call !== null) {
    throw new InvalidReplyError('call_shape');
  }
  const words = wordsOf(message);
  const content = wholeCharacters(words.content);
  const refusal = wholeCharacters(optionalText(message.refusal));
  const reasoning = wholeCharacters(words.reasoning);
  const calls = readToolCalls(message.tool_calls);
  let outputBytes = byteLength(content) + byteLength(refusal) + byteLength(reasoning);
  for (const call of calls) outputBytes += callBytes(call);
  return concludeReply(
    {
      finishReason: choice.finish_reason,
      content,
      refusal: refusal === '' ? undefined : refusal,
      reasoning: reasoning === '' ? undefined : reasoning,
      reasoningField: words.reasoningField,
      calls,
      usage: usageOf(body.usage),
      outputBytes,
      unseenBytes: unseenBytes(content) + unseenBytes(refusal) + unseenBytes(reasoning),
      hasWords: [content, refusal, reasoning].some(isSeen),
      maxTokens,
    },
    rules,
    schemas,
  );
}

/** Gemini's servers have none where all of it was filtered. */
function messageLeftOut(finishReason: unknown): Unchecked | undefined {
  return finishReasonOf(finishReason) === 'content_filter' ? {} : undefined;
}

function byteLength(text: string | undefined): number {
  return text === undefined ? 0 : Buffer.byteLength(text);
}
