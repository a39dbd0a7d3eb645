import { Server } from '@nestjs/microservices';
import type { CustomTransportStrategy, MessageHandler } from '@nestjs/microservices';
import { noCapacity, toErrorPayload } from '@svc/errors';
import type { ErrorPayload, SvcError } from '@svc/errors';
import type { RpcContract } from '@svc/contracts';
import { compileValidator } from '@svc/validation';
import type { Validator } from '@svc/validation';
import type { Msg, NatsError, Subscription } from 'nats';
import { isObservable, lastValueFrom } from 'rxjs';
import { callsIn } from './incoming-calls';
import type { CallAnswer, IncomingCall } from './incoming-calls';
import { isInbox } from './inbox';
import { isFromStream } from './listen';
import type { Messaging } from './connect';
import type { RawHandlerExtras, RpcContext, RpcHandlerExtras } from './handle-rpc.decorator';
import { TurnPublisher } from './turn-publisher';
import { notJson, unfitRequest } from './unreadable-request';

/** Machines' clocks differ; a call is refused as too late only when its deadline is past by more than this. */
const CLOCK_TOLERANCE_MS = 500;

/** What the transport counts and tells; observability is the service's. */
export interface RpcObserver {
  /** A message that did not parse or validate, or came too late; `subject` as declared. */
  refused(subject: string, reason: 'malformed' | 'invalid' | 'expired' | 'no_inbox'): void;
  /** A handler failed with an error outside the catalogue. */
  failed(subject: string, error: unknown, context: RpcContext): void;
}

/** What callers are told of an error outside the catalogue; undefined: that something went wrong. */
export type RefusalOf = (error: unknown) => SvcError | undefined;

/**
 * Nest's transport for `@HandleRpc` and `@HandleMessages` over the process's own NATS connection. Unlike Nest's NATS
 * server it validates before the handler, never dies of a malformed message, shares work by queue group, honours
 * deadlines, and on shutdown finishes what is under way.
 */
export class NatsRpcStrategy extends Server implements CustomTransportStrategy {
  private readonly publisher: TurnPublisher;
  private readonly listeners: Listener[] = [];
  private leaving: Promise<unknown> = Promise.resolve();
  private isClosed = false;
  private underWay = 0;
  private idle: (() => void) | undefined;

  constructor(
    private readonly messaging: Messaging,
    private readonly observer: RpcObserver,
    private readonly refusalOf: RefusalOf = () => undefined,
  ) {
    super();
    this.publisher = TurnPublisher.of(messaging.connection);
  }

  override addHandler(
    pattern: string,
    callback: MessageHandler,
    isEventHandler = false,
    extras: Record<string, unknown> = {},
  ): void {
    // Nest lets the last of two handlers win in silence.
    if (this.messageHandlers.has(this.normalizePattern(pattern))) {
      throw new Error(`two handlers for the subject ${pattern}`);
    }
    super.addHandler(pattern, callback, isEventHandler, extras);
  }

  listen(callback: (error?: unknown) => void): void {
    try {
      for (const [subject, handler] of this.messageHandlers)
        this.listeners.push(this.listenerOf(subject, handler));
      for (const listener of this.listeners) this.subscribe(listener);
      // Ready means that the server knows the subscriptions.
      this.messaging.connection.flush().then(() => callback(), callback);
    } catch (error) {
      callback(error);
    }
  }

  /**
   * Leaves what is shared to the others of each queue group, until `resume`; without others, callers are told at once that nobody listens.
   * What says that it is served `whilePaused` is.
   */
  pause(): void {
    const left = this.listeners.filter(({ isPausable }) => isPausable).map(leave);
    this.leaving = Promise.all([this.leaving, ...left]);
  }

  /** Takes its share again. */
  resume(): void {
    if (this.isClosed) return;
    for (const listener of this.listeners) if (!listener.subscription) this.subscribe(listener);
  }

  /** Takes no more messages and waits until those under way are answered. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([this.leaving, ...this.listeners.map(leave)]);
    if (this.underWay > 0) await new Promise<void>((resolve) => (this.idle = resolve));
    this.publisher.flush();
  }

  override on(): never {
    throw new Error('this transport has no events; use an observer');
  }

  override unwrap<T>(): T {
    return this.messaging.connection as T;
  }

  private listenerOf(subject: string, handler: MessageHandler): Listener {
    const extras = handler.extras as Partial<RpcHandlerExtras & RawHandlerExtras>;
    if (extras.raw) {
      const { queue } = extras;
      return { subject, queue, isPausable: queue !== undefined, take: this.rawTaker(subject, handler) };
    }
    const { contract, whilePaused } = extras;
    const take = this.rpcTaker(subject, handler, contract);
    return { subject, queue: contract?.queue, isPausable: !whilePaused, take };
  }

  private subscribe(listener: Listener): void {
    const { subject, queue, take } = listener;
    listener.subscription = this.messaging.connection.subscribe(subject, {
      ...(queue !== undefined && { queue }),
      callback: (error: NatsError | null, message: Msg) => {
        if (!error) take(message);
      },
    });
  }

  private rawTaker(subject: string, handler: MessageHandler) {
    return (message: Msg) => {
      if (isFromStream(message)) return this.observer.refused(subject, 'no_inbox');
      Promise.resolve(handler(message))
        .then((result: unknown) => (isObservable(result) ? lastValueFrom(result) : undefined))
        .catch((error: unknown) => this.observer.failed(subject, error, {}));
    };
  }

  private rpcTaker(subject: string, handler: MessageHandler, contract?: RpcContract<object, unknown>) {
    if (!contract) throw new Error(`the handler of ${subject} has no contract; use @HandleRpc`);
    const { timeoutMs, request } = contract;
    const served: ServedCall = { subject, handler, timeoutMs, validate: compileValidator(request) };
    return (message: Msg) => {
      // No caller of ours leaves it out; what JetStream writes to a subject that somebody named as its inbox has none.
      if (!isInbox(message.reply ?? '')) return this.observer.refused(subject, 'no_inbox');
      for (const call of callsIn(message, this.publisher)) this.begin(served, call);
    };
  }

  private begin(served: ServedCall, call: IncomingCall): void {
    this.underWay++;
    void this.answer(served, call).finally(() => {
      if (--this.underWay === 0) this.idle?.();
    });
  }

  private async answer(served: ServedCall, { context, answer, read }: IncomingCall): Promise<void> {
    const { subject, handler } = served;
    const clockMs = Date.now();
    const leftMs = (context.deadlineMs ?? Infinity) - clockMs;
    if (leftMs < -CLOCK_TOLERANCE_MS) {
      this.observer.refused(subject, 'expired');
      return refuseLate(answer, clockMs);
    }
    const { requestId, traceparent } = context;
    const rpcContext: RpcContext = { requestId, traceparent, deadlineMs: deadlineIn(leftMs, served) };
    try {
      const request = this.validated(served, read);
      const given: unknown = await handler(request, rpcContext);
      const result = isObservable(given) ? await lastValueFrom(given, { defaultValue: null }) : given;
      answer?.result(JSON.stringify(result ?? null));
    } catch (error) {
      const refusal = this.refusalOf(error);
      const payload = refuse(answer, refusal ?? error);
      if (refusal || payload.code === 'internal_error') this.observer.failed(subject, error, rpcContext);
    }
  }

  private validated({ subject, validate }: ServedCall, read: () => unknown): object {
    let input: unknown;
    try {
      input = read();
    } catch {
      this.observer.refused(subject, 'malformed');
      throw notJson();
    }
    const result = validate(input);
    if (result.ok) return result.value;
    this.observer.refused(subject, 'invalid');
    throw unfitRequest(result.problem);
  }
}

/** What takes a subject's messages, while there is a subscription. */
interface Listener {
  readonly subject: string;
  /** Queue group; undefined where each instance hears everything. */
  readonly queue: string | undefined;
  readonly isPausable: boolean;
  readonly take: (message: Msg) => void;
  subscription?: Subscription;
}

/** Resolves when what the server has sent by then is taken. */
async function leave(listener: Listener): Promise<void> {
  const { subscription } = listener;
  listener.subscription = undefined;
  await subscription?.drain().catch(() => undefined);
}

/** A subject's calls. */
interface ServedCall {
  subject: string;
  handler: MessageHandler;
  /** How long callers wait unless they say otherwise. */
  timeoutMs: number;
  validate: Validator<object>;
}

/**
 * When nobody waits any more, on performance.now()'s clock; undefined where the call does not say so. Where the caller's clock is ahead it
 * seems to wait longer than it does: it is taken to wait no longer than callers do.
 */
function deadlineIn(leftMs: number, { timeoutMs }: ServedCall): number | undefined {
  if (leftMs === Infinity) return undefined;
  return performance.now() + Math.min(leftMs, timeoutMs);
}

/** Says by which clock: a caller that still waits learns how far apart the two are. */
function refuseLate(answer: CallAnswer | undefined, clockMs: number): void {
  const payload = toErrorPayload(noCapacity('The call came after its deadline.', 1));
  answer?.error(payload.code, JSON.stringify(payload), clockMs);
}

function refuse(answer: CallAnswer | undefined, error: unknown): ErrorPayload {
  const payload = toErrorPayload(error);
  answer?.error(payload.code, JSON.stringify(payload));
  return payload;
}
