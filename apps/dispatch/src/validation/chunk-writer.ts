import { EventShell } from '@svc/contracts';
import type { FinishReason } from '@svc/contracts';
import { onOneLine } from './line-ends';
import type { DeltaSink } from './stream-reply';
import type { ToolCall, WholeReply } from './whole-reply';

/** What all chunks of one completion have in common. */
interface ChunkIdentity {
  completionId: string;
  /** Unix seconds. */
  created: number;
  model: string;
  fingerprint: string;
}

/** Token counts as the client is told them (spec section 2.2). */
export interface UsageBody {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

/** Takes server-sent events: ready ones, or with `shell` the text of one. */
export type EventSink = (text: string, shell?: EventShell) => void;

/**
 * Writes the chunks a client gets: rebuilt from checked fields, around a beginning and an end that are made once. What it writes
 * goes to `emit` as SSE events.
 */
export class ChunkWriter implements DeltaSink {
  private readonly identity: string;
  private readonly deltaHead: string;
  private readonly deltaShell: EventShell;
  private started = false;

  /**
   * @param usageRequested `stream_options.include_usage`: `usage` stands on every chunk, null on all but the last
   * @param emit takes each event
   */
  constructor(
    { completionId, created, model, fingerprint }: ChunkIdentity,
    private readonly usageRequested: boolean,
    private readonly emit: EventSink,
  ) {
    this.identity =
      `data: {"id":${JSON.stringify(completionId)},"object":"chat.completion.chunk","created":${created},` +
      `"model":${JSON.stringify(model)},"system_fingerprint":${JSON.stringify(fingerprint)},"choices":`;
    this.deltaHead = `${this.identity}[{"index":0,"delta":{`;
    this.deltaShell = new EventShell(this.deltaHead, `},"finish_reason":null}]${this.usage(undefined)}}`);
  }

  /** Something of the reply was written. */
  get hasBegun(): boolean {
    return this.started;
  }

  delta(field: string): void {
    this.emit(this.role() + onOneLine(field), this.deltaShell);
  }

  /** What of a whole reply has not been passed on yet: texts that were held, and tool calls, one chunk each. */
  rest({ reasoning, content, refusal, toolCalls }: WholeReply): void {
    if (reasoning) this.delta(`"reasoning_content":${JSON.stringify(reasoning)}`);
    if (content) this.delta(`"content":${JSON.stringify(content)}`);
    if (refusal) this.delta(`"refusal":${JSON.stringify(refusal)}`);
    for (const [index, call] of toolCalls.entries()) {
      this.delta(`"tool_calls":[${JSON.stringify({ index, ...toolCallBody(call) })}]`);
    }
  }

  /** The last content chunk; `usage` where the environment puts it there. */
  finish(reason: FinishReason, usage: UsageBody | undefined): void {
    const delta = this.started ? '' : `${this.role()}"content":""`;
    this.emit(
      `${this.deltaHead}${delta}},"finish_reason":${JSON.stringify(reason)}}]${this.usage(usage)}}\n\n`,
    );
  }

  /** The chunk with the charge, and the end (spec section 4.1). */
  end(svc: object, usage: UsageBody): void {
    const usageBody = this.usageRequested ? this.usage(usage) : '';
    this.emit(`${this.identity}[]${usageBody},"svc":${JSON.stringify(svc)}}\n\ndata: [DONE]\n\n`);
  }

  private role(): string {
    if (this.started) return '';
    this.started = true;
    return '"role":"assistant",';
  }

  private usage(usage: UsageBody | undefined): string {
    if (usage) return `,"usage":${JSON.stringify(usage)}`;
    return this.usageRequested ? ',"usage":null' : '';
  }
}

/** A tool call in the wire's shape. */
export function toolCallBody({ id, name, arguments: args, extraContent }: ToolCall): object {
  return {
    id,
    type: 'function',
    function: { name, arguments: args },
    ...(extraContent && { extra_content: extraContent }),
  };
}
