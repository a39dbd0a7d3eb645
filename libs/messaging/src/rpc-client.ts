import { TransientMap } from '@svc/collections';
import type { RpcContract } from '@svc/contracts';
import { internalError } from '@svc/errors';
import type { CallMetadata } from './call-headers';
import type { Messaging } from './connect';
import { Inbox } from './inbox';
import { OutgoingCalls } from './outgoing-calls';
import { RpcUnavailableError } from './rpc-errors';
import { TurnPublisher } from './turn-publisher';

export interface CallOptions extends Pick<CallMetadata, 'requestId' | 'traceparent'> {
  /** Instead of the contract's own. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * Calls the contracts of other services. One wildcard inbox, end-of-turn publishing, and for contracts that say so one message for the
 * calls of a turn: under load most of what a call costs is its messages.
 */
export class RpcClient {
  readonly inbox: Inbox;
  readonly publisher: TurnPublisher;
  /** By subject, the calls of this turn. */
  private readonly gathering = new TransientMap<string, OutgoingCalls>();

  constructor(readonly messaging: Messaging) {
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
    const { subject } = contract;
    return new Promise<Res>((resolve, reject) => {
      if (signal?.aborted) return reject(new RpcUnavailableError(subject, 'aborted'));
      const requestJson = JSON.stringify(request);
      this.publisher.assertFits(subject, requestJson);
      const calls = this.messageFor(contract, requestJson);
      const settled = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const giveUp = (reason: RpcUnavailableError['reason']) => {
        if (!calls.forget(index)) return;
        settled();
        reject(new RpcUnavailableError(subject, reason));
      };
      const onAbort = () => giveUp('aborted');
      // Timers run before what has come is read: an answer may lie there, if this process stood still.
      const timer = setTimeout(() => setImmediate(giveUp, 'timeout'), timeoutMs);
      signal?.addEventListener('abort', onAbort);
      const index = calls.add({
        requestJson,
        metadata: { requestId, traceparent, deadlineMs: Date.now() + timeoutMs },
        resolve: (result) => {
          settled();
          resolve(result as Res);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
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
    const calls: OutgoingCalls = new OutgoingCalls(subject, (quiet) => inbox.close(quiet));
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
