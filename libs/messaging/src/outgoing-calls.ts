import { SvcError, internalError, parseErrorPayload } from '@svc/errors';
import type { PublishOptions } from 'nats';
import { toHeaders } from './call-headers';
import type { CallMetadata } from './call-headers';
import {
  MOST_GATHERED_CALLS,
  MOST_GATHERED_CHARS,
  gatheredCall,
  readGatheredAnswers,
} from './gathered-calls';
import type { GatheredAnswer } from './gathered-calls';
import { isNoResponders } from './inbox';
import type { InboxMessage } from './inbox';
import { isJetStreamAnswer } from './jetstream-answer';
import { ERROR_CODE_HEADER, LateCallError, RpcUnavailableError, clockIn } from './rpc-errors';

/** One call, and who waits for its answer: one of these is called, once. */
interface OutgoingCall {
  requestJson: string;
  metadata: CallMetadata;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** The calls that go to one subject in one message, and who waits for them. */
export class OutgoingCalls {
  private readonly calls: OutgoingCall[] = [];
  private readonly waiting = new Set<number>();
  private chars = 0;
  /** Somebody gave up, so an answer may still come after all. */
  private givenUp = false;

  /** @param onOver called once nobody waits any more; `quiet` says that nothing more can come */
  constructor(
    private readonly subject: string,
    private readonly onOver: (over: { quiet: boolean }) => void,
  ) {}

  /** What is sent: a call by itself as anybody would send it. */
  get message(): { payload: string; options: PublishOptions } {
    const [first] = this.calls;
    if (first && this.isLone)
      return { payload: first.requestJson, options: { headers: toHeaders(first.metadata) } };
    const calls = this.calls.map(({ requestJson, metadata }) => gatheredCall(requestJson, metadata));
    return { payload: `[${calls.join()}]`, options: {} };
  }

  /** Whether another call may go with it. Once all before it have given up, answers are no longer listened for. */
  hasRoomFor(requestJson: string): boolean {
    if (this.waiting.size === 0) return false;
    return this.calls.length < MOST_GATHERED_CALLS && this.chars + requestJson.length < MOST_GATHERED_CHARS;
  }

  /** @returns its index */
  add(call: OutgoingCall): number {
    const index = this.calls.push(call) - 1;
    this.chars += call.requestJson.length;
    this.waiting.add(index);
    return index;
  }

  /** The caller of this one waits no more. @returns whether it was still waiting */
  forget(index: number): boolean {
    if (!this.waiting.has(index)) return false;
    this.givenUp = true;
    this.settle(index);
    return true;
  }

  /** Takes what came for this message: answers, or the server's word that nobody listens. */
  take(message: InboxMessage): void {
    if (isNoResponders(message)) return this.fail(new RpcUnavailableError(this.subject, 'no_responders'));
    const body = jsonOf(message.data);
    // The genuine answer is still to come.
    if (isJetStreamAnswer(body)) return;
    const failed = message.headers?.has(ERROR_CODE_HEADER) ?? false;
    // A refusal of the message is one of all its calls.
    if (failed || body === undefined) return this.fail(errorOf(body, clockIn(message.headers)));
    if (this.isLone) return this.tell({ index: 0, result: body });
    const answers = readGatheredAnswers(body);
    if (!answers) return this.fail(internalError());
    for (const answer of answers) this.tell(answer);
  }

  /** None of them will be answered. */
  fail(error: Error): void {
    for (const index of [...this.waiting]) this.settle(index)?.reject(error);
  }

  private get isLone(): boolean {
    return this.calls.length === 1;
  }

  private tell(answer: GatheredAnswer): void {
    const call = this.settle(answer.index);
    if ('error' in answer) call?.reject(errorOf(answer.error, answer.clockMs));
    else call?.resolve(answer.result);
  }

  private settle(index: number): OutgoingCall | undefined {
    if (!this.waiting.delete(index)) return undefined;
    if (this.waiting.size === 0) this.onOver({ quiet: !this.givenUp });
    return this.calls[index];
  }
}

/** @param clockMs where the call came too late: by which clock */
function errorOf(body: unknown, clockMs?: number): Error {
  const payload = parseErrorPayload(body);
  const error = payload ? new SvcError(payload) : internalError();
  return clockMs === undefined ? error : new LateCallError(clockMs, error);
}

/** @returns undefined for what is no JSON */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
  } catch {
    return undefined;
  }
}
