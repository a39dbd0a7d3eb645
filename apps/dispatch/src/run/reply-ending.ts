import type { Environment } from '@svc/environment';
import type { StartRunRequest } from '@svc/contracts';
import type { ServiceReply } from '@svc/openai-api';
import { fingerprintOf } from '../plan/planned-attempt';
import type { ServedOutcome } from '../plan/plan-outcome';
import { toolCallBody } from '../validation/chunk-writer';
import type { ChunkWriter, UsageBody } from '../validation/chunk-writer';
import type { WholeReply } from '../validation/whole-reply';

/** The end of a stream: the last content chunk, the one with the charge, `[DONE]` (spec section 4.1). */
export function writeStreamEnd(
  writer: ChunkWriter,
  { finishReason }: WholeReply,
  svc: ServiceReply,
  usage: UsageBody,
  environment: Environment,
): void {
  writer.finish(finishReason, environment.usageOnLastContentChunk ? usage : undefined);
  writer.end(svc, usage);
}

/** The body of a plain reply (spec section 2.2). */
export function plainBody(
  request: StartRunRequest,
  { planned, reply }: Pick<ServedOutcome, 'planned' | 'reply'>,
  svc: ServiceReply,
  usage: UsageBody,
): string {
  const { completionId, created, model } = request;
  const { content, refusal, reasoning, toolCalls, finishReason } = reply;
  const message = {
    role: 'assistant',
    content,
    ...(refusal !== undefined && { refusal }),
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(toolCallBody) }),
  };
  return JSON.stringify({
    id: completionId,
    object: 'chat.completion',
    created,
    model,
    system_fingerprint: fingerprintOf(request, planned),
    choices: [{ index: 0, message, finish_reason: finishReason }],
    usage,
    svc,
  });
}
