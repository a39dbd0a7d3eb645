import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { piecesOf, plainBody, streamFrames, usageOf } from './provider-reply';
import type { ProviderReply } from './provider-reply';

/** A request that a test provider got. */
export interface RecordedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the caller hung up before the reply was whole. */
  readonly aborted: boolean;
}

export interface ProviderOptions {
  /** What the provider says; has characters of more than one byte unless given. */
  readonly text: string;
  /** Bytes of the body that `cut` sends; half of it unless given. */
  readonly cutAfterBytes?: number;
  /** Pause between two parts of `trickle`. */
  readonly pauseMs: number;
  /** What each pause lasts for besides: where dispatch is another process, only its client knows that what was written has arrived. */
  readonly untilHeard?: () => Promise<unknown>;
  /** `Retry-After` of `status-429` and `status-503`. */
  readonly retryAfterSeconds: number;
}

interface AskedTool {
  function?: { name?: string };
}

/** One request and the means to answer it, rightly or wrongly. */
export class ProviderExchange {
  readonly stream: boolean;
  private readonly includeUsage: boolean;
  /** Nothing has been said yet over its connection. */
  readonly isFirst: boolean;
  private broken = false;
  private left = false;

  constructor(
    readonly body: Readonly<Record<string, unknown>>,
    readonly response: ServerResponse,
    readonly options: ProviderOptions,
  ) {
    this.stream = body.stream === true;
    this.isFirst = response.socket?.bytesWritten === 0;
    const { include_usage: includeUsage } = (body.stream_options ?? {}) as { include_usage?: boolean };
    this.includeUsage = includeUsage === true;
    response.once('close', () => (this.left = !this.broken && !response.writableFinished));
  }

  /** Whether the caller hung up; false when the provider broke off itself. */
  get hungUp(): boolean {
    return this.left;
  }

  /** The right answer: the text, counted in words. */
  get reply(): ProviderReply {
    const { text } = this.options;
    return { text, toolCalls: [], finishReason: 'stop', usage: usageOf(9, piecesOf(text).length) };
  }

  /** A call of the first tool that was offered. */
  callReply(text: string, name: string | undefined = this.firstToolName): ProviderReply {
    const toolCalls = [{ id: 'call_test', name, arguments: text }];
    return {
      text: '',
      toolCalls,
      finishReason: 'tool_calls',
      usage: usageOf(20, Math.ceil(text.length / 4)),
    };
  }

  /** A call without a name. */
  namelessCallReply(): ProviderReply {
    const reply = this.callReply('{}');
    return { ...reply, toolCalls: reply.toolCalls.map((call) => ({ ...call, name: undefined })) };
  }

  /** The parts of a reply in the form that was asked for: events, or the one document. */
  parts(reply: ProviderReply = this.reply): string[] {
    return this.stream ? streamFrames(reply, this.includeUsage) : [plainBody(reply)];
  }

  /** What ends a stream after its last choice: usage, where it was asked for, and `[DONE]`. */
  tail({ usage }: ProviderReply = this.reply): string[] {
    const nothing = { text: '', toolCalls: [], finishReason: null, usage };
    return streamFrames(nothing, this.includeUsage).slice(1);
  }

  /** Sends status 200 and the headers that suit the form. */
  begin(contentType = this.stream ? 'text/event-stream' : 'application/json'): void {
    this.response.writeHead(200, { 'content-type': contentType });
    this.response.flushHeaders();
  }

  /** Answers with those parts, whole and at once. */
  send(parts: readonly string[] = this.parts(), contentType?: string): void {
    this.begin(contentType);
    for (const part of parts) this.response.write(part);
    this.response.end();
  }

  /** Writes and waits until the caller has taken it in and the event loop has turned, so that parts arrive apart. */
  async write(part: string | Buffer): Promise<void> {
    if (this.response.destroyed) return;
    if (!this.response.write(part))
      await Promise.race([once(this.response, 'drain'), once(this.response, 'close')]);
    await nextTurn();
  }

  /** What was written before has arrived at the end of it, also where the process of both sides stood still meanwhile. */
  async pause(): Promise<void> {
    await sleep(this.options.pauseMs);
    // Timers come before what there is to read: that is read in the turns after them.
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    await this.options.untilHeard?.();
  }

  /** Breaks the connection: by a reset, or quietly after what was written. */
  break(how: 'reset' | 'end'): void {
    this.broken = true;
    if (how === 'reset') this.response.socket?.resetAndDestroy();
    else this.response.socket?.destroySoon();
  }

  private get firstToolName(): string {
    const [first] = (Array.isArray(this.body.tools) ? this.body.tools : []) as AskedTool[];
    return first?.function?.name ?? 'get_weather';
  }
}

/** What a provider does with a request. */
export type Behaviour = (exchange: ProviderExchange) => Promise<void> | void;
