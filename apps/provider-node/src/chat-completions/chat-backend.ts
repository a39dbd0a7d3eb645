import type { Readable } from 'node:stream';
import type { JsonObject } from '../engine/engine-request';

/** A reply that is ready to be sent. */
export interface ChatReply {
  readonly contentType: string;
  /** JSON text, or the stream of bytes of either a JSON reply or server-sent events. */
  readonly body: string | Readable;
}

/** Who answers chat completions: the demo engine or a server behind this one. */
export abstract class ChatBackend {
  /**
   * @param request the body, a JSON object whose `model` this node serves
   * @param signal aborted when the caller hangs up; the work then stops at once
   * @throws OpenAiError for what the caller is told instead of a reply
   */
  abstract answer(request: JsonObject, signal: AbortSignal): Promise<ChatReply>;

  /** Whether it could answer now, for `/health/ready`. */
  abstract isReady(): Promise<boolean>;
}
