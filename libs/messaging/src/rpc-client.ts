import { TransientMap } from '@svc/collections';
import type { RpcContract } from '@svc/contracts';
import { internalError } from '@svc/errors';
import type { CallMetadata } from './call-headers';
import type { Messaging } from './connect';
import { Inbox } from './inbox';
import { OutgoingCalls } from './outgoing-calls';
import { PeerClocks } from './peer-clocks';
import { LateCallError, RpcUnavailableError } from './rpc-errors';
import { TurnPublisher } from './turn-publisher';

export interface CallOptions extends Pick<CallMetadata, 'requestId' | 'traceparent'> {
  /** Instead of the contract's own. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** A call that was refused for a clock is sent again, with what was learnt of that: a service's processes may each have another. */
const MOST_SENT = 4;

/**
 * Calls the contracts of other services. One wildcard inbox, end-of-turn publishing, and for contracts that say so one message for the
 * calls of a turn: under load most of what a call costs is its messages.
 */
export class RpcClient {
  readonly inbox: Inbox;
  readonly publisher: TurnPublisher;
  /** By subject, the calls of this turn. */
  private readonly gathering = new TransientMap<string, OutgoingCalls>();

  constructor(
    readonly messaging: Messaging,
    private readonly clocks = new PeerClocks(),
  ) {
    this.inbox = new Inbox(messaging);
    this.publisher = TurnPublisher.of(messaging.connection);
  }

  /**
   * @throws SvcError what the service refused the call with
   * @throws RpcUnavailableError when no answer came in time, or nobody listens
   * @throws RangeError for a request that the server would refuse
   */
  call<Req extends object, Res>(
    contract: RpcContract<Req, Res>,
    request: Req,
    { timeoutMs = contract.timeoutMs, signal, requestId, traceparent }: CallOptions = {},
  ): Promise<Res> {
    const { subject, queue } = contract;
    return new Promise<Res>((resolve, reject) => {
      if (signal?.aborted) return reject(new RpcUnavailableError(subject, 'aborted'));
      const requestJson = JSON.stringify(request);
      this.publisher.assertFits(subject, requestJson);
      const endsMs = performance.now() + timeoutMs;
      let forget = (): boolean => false;
      const settled = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const giveUp = (reason: RpcUnavailableError['reason']) => {
        if (!forget()) return;
        settled();
        reject(new RpcUnavailableError(subject, reason));
      };
      const onAbort = () => giveUp('aborted');
      // Timers run before what has come is read: an answer may lie there, if this process stood still.
      const timer = setTimeout(() => setImmediate(giveUp, 'timeout'), timeoutMs);
      signal?.addEventListener('abort', onAbort);
      const send = (sent: number): void => {
        const calls = this.messageFor(contract, requestJson);
        const deadlineMs = this.clocks.momentIn(endsMs - performance.now(), queue);
        const index = calls.add({
          requestJson,
          metadata: { requestId, traceparent, deadlineMs },
          resolve: (result) => {
            settled();
            resolve(result as Res);
          },
          reject: (error) => {
            const late = error instanceof LateCallError ? error : undefined;
            if (late && performance.now() < endsMs) {
              // It is still waited for, so it was not late: that clock is ahead of this one.
              this.clocks.learn(queue, late.clockMs);
              if (sent < MOST_SENT) return send(sent + 1);
            }
            settled();
            reject(late?.refusal ?? error);
          },
        });
        forget = () => calls.forget(index);
      };
      send(1);
    });
  }

  /** The message that the call goes with. */
  private messageFor<Req extends object, Res>(
    { subject, queue, gathered }: RpcContract<Req, Res>,
    requestJson: string,
  ): OutgoingCalls {
    const gathering = this.gathering.get(subject);
    if (gathering?.hasRoomFor(requestJson)) return gathering;
    const inbox = this.inbox.openReusable(queue, (message) => calls.take(message));
    const calls: OutgoingCalls = new OutgoingCalls(subject, (over) => inbox.close(over));
    if (gathered) this.gathering.set(subject, calls);
    this.publisher.atFlush(() => {
      if (this.gathering.get(subject) === calls) this.gathering.delete(subject);
      const { payload, options } = calls.message;
      try {
        this.publisher.publish(subject, payload, { ...options, reply: inbox.subject });
      } catch (error) {
        calls.fail(error instanceof Error ? error : internalError());
      }
    });
    return calls;
  }
}
