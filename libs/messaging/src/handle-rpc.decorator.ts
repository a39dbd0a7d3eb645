import { UseFilters } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { PARAM_ARGS_METADATA } from '@nestjs/microservices/constants';
import type { RpcContract } from '@svc/contracts';
import type { Msg } from 'nats';
import type { CallMetadata } from './call-headers';
import { RpcErrorFilter } from './rpc-error.filter';

/** What a handler learns of its call beside the payload. */
export interface RpcContext extends Pick<CallMetadata, 'requestId' | 'traceparent'> {
  /** On performance.now()'s clock, after which nobody waits for the answer: no other clock says so here, nor can one that is set. */
  deadlineMs?: number;
}

/** What `@HandleRpc` leaves for the transport. */
export interface RpcHandlerExtras {
  contract: RpcContract<object, unknown>;
  /** Whether it does without what is away while the transport pauses. */
  whilePaused: boolean;
}

/** What `@HandleMessages` leaves for the transport. */
export interface RawHandlerExtras {
  raw: true;
  queue?: string;
}

/**
 * Serves a contract: the decorated method's argument and result types are the contract's.
 * @param whilePaused also while the transport pauses: the handler does without what is away then
 */
export function HandleRpc<Req extends object, Res>(
  contract: RpcContract<Req, Res>,
  { whilePaused = false }: { whilePaused?: boolean } = {},
) {
  return <T extends (request: Req, context: RpcContext) => Promise<Res> | Res>(
    target: object,
    property: string,
    descriptor: TypedPropertyDescriptor<T>,
  ): void => {
    const extras: RpcHandlerExtras = { contract, whilePaused };
    // Where no parameter says what it is, Nest hands on both, payload and context. `@Payload` and `@Ctx` would say it, and have each looked up
    // in a promise of its own; where nothing is noted at all Nest takes the payload alone.
    if (Reflect.hasMetadata(PARAM_ARGS_METADATA, target.constructor, property)) {
      throw new Error(
        `${property} serves a contract: its parameters are the request and the context, undecorated`,
      );
    }
    Reflect.defineMetadata(PARAM_ARGS_METADATA, {}, target.constructor, property);
    handle(contract.subject, { ...extras }, target, property, descriptor);
  };
}

/**
 * Takes the raw messages of a subject: for streams and notices, where there is no unary reply. The subject may
 * hold wildcards; without a queue every instance gets every message.
 */
export function HandleMessages(subject: string, options: { queue?: string } = {}) {
  return <T extends (message: Msg) => void>(
    target: object,
    property: string,
    descriptor: TypedPropertyDescriptor<T>,
  ): void => {
    const extras: RawHandlerExtras = { raw: true, ...options };
    handle(subject, { ...extras }, target, property, descriptor);
  };
}

function handle(
  subject: string,
  extras: Record<string, unknown>,
  ...[target, property, descriptor]: [object, string, PropertyDescriptor]
): void {
  MessagePattern(subject, extras)(target, property, descriptor);
  // On the handler itself: a filter set on a hybrid application's microservice comes after its handlers are bound.
  UseFilters(new RpcErrorFilter())(target, property, descriptor);
}
