import { Nested } from '@svc/validation';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsObject,
  IsOptional,
  Max,
  Min,
} from 'class-validator';
import { MOST_PASSED_OVER, MOST_WHY_CHARS } from './cortex.contracts';
import { IsBaseUnits, IsId, IsModelId, IsShortText, IsWallet } from './fields';

/** One attempt of the plan as dispatch takes it (see `PlannedAttempt`). */
export class RunAttempt {
  @IsId()
  offerId!: string;

  @IsModelId()
  model!: string;

  @IsWallet()
  provider!: string;

  @IsId()
  bundleId!: string;

  @IsId()
  profileId!: string;

  @IsBaseUnits()
  inputPricePerMtok!: string;

  @IsBaseUnits()
  outputPricePerMtok!: string;

  /** Of a managed vendor. */
  @IsOptional()
  @IsId()
  mapping?: string;

  @IsShortText(MOST_WHY_CHARS)
  why!: string;
}

/** See `PassedOver`. */
export class RunPassedOver {
  @IsId()
  offerId!: string;

  @IsShortText(MOST_WHY_CHARS)
  why!: string;
}

/** How many offers one run may try. */
export const MOST_RUN_ATTEMPTS = 16;

/** The hold that a run settles. */
export class RunHold {
  @IsId()
  holdId!: string;

  @IsWallet()
  wallet!: string;

  @IsBaseUnits()
  amount!: string;
}

/**
 * Starts a run: published to `DISPATCH_SUBJECTS.start` with the gateway's frame inbox as reply subject. Dispatch
 * answers with frames (`run-frames.ts`), never with a unary reply.
 */
export class StartRunRequest {
  @IsId()
  requestId!: string;

  /** The completion's id, `chatcmpl-…`. */
  @IsId()
  completionId!: string;

  /** Unix seconds, for the completion's `created`. */
  @IsInt()
  @Min(0)
  created!: number;

  @IsModelId()
  model!: string;

  @IsBoolean()
  stream!: boolean;

  /** `stream_options.include_usage`. */
  @IsBoolean()
  includeUsage!: boolean;

  @IsInt()
  @Min(0)
  @Max(1_000_000_000)
  inputEstimate!: number;

  /** The most that may be generated: what the hold covers, and what the provider is told. */
  @IsInt()
  @Min(1)
  @Max(1_000_000_000)
  maxTokens!: number;

  @Nested(() => RunHold)
  hold!: RunHold;

  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_RUN_ATTEMPTS)
  @Nested(() => RunAttempt, { each: true })
  attempts!: RunAttempt[];

  /** Offers that the plan left out. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MOST_PASSED_OVER)
  @Nested(() => RunPassedOver, { each: true })
  passedOver?: RunPassedOver[];

  /** The request is to the routing model: its reply says who was behind it (spec section 2.2, `served`). */
  @IsOptional()
  @IsBoolean()
  routed?: boolean;

  /**
   * The request has an `Idempotency-Key`: the run goes on whoever listens, others may attach to it, and its reply is stored
   * before it is charged.
   */
  @IsOptional()
  @IsBoolean()
  idempotent?: boolean;

  /** The gateway reads frames whose payload is packed; those of earlier versions do not. */
  @IsOptional()
  @IsBoolean()
  takesPacked?: boolean;

  /** The chat-completions body as the gateway validated it (known fields only, without model, stream and max_tokens). */
  @IsObject()
  body!: object;
}

const context = 'dispatch.v1';

/** Subjects around a run. */
export const DISPATCH_SUBJECTS = {
  queue: 'dispatch',
  start: `${context}.run.start`,
  /** Gateway → every dispatch: stop this run. The last token is the request id. */
  cancel: (requestId: string) => `${context}.run.cancel.${requestId}`,
  anyCancel: `${context}.run.cancel.*`,
  /**
   * Gateway → every dispatch: whoever has this idempotent run answers with its frames from the first on, to the reply
   * subject. The last token is the hold's id.
   */
  attach: (holdId: string) => `${context}.run.attach.${holdId}`,
  anyAttach: `${context}.run.attach.*`,
  /** Gateway → every dispatch: this subscriber (`subscriberOf`) of an idempotent run listens no more; the run goes on. */
  detach: (subscriberId: string) => `${context}.run.detach.${subscriberId}`,
  anyDetach: `${context}.run.detach.*`,
  /**
   * Gateway → one dispatch: so many more bytes may be sent (payload: decimal digits). The last token is the request id, of
   * an idempotent run the subscriber's (`subscriberOf`): each of them has its own pace.
   */
  credit: (instanceId: string, requestId: string) => `${context}.run.credit.${instanceId}.${requestId}`,
  creditsOf: (instanceId: string) => `${context}.run.credit.${instanceId}.*`,
  /** Gateway → one dispatch: these runs ended and their outcome was handed to the client (payload: request ids, one a line). */
  delivered: (instanceId: string) => `${context}.run.delivered.${instanceId}`,
  /** Every dispatch instance, once a second: it lives (payload: its instance id). */
  alive: `${context}.instance.alive`,
  /** Dispatch → every dispatch: an instance needs places at an offer, and none is free. */
  placeWanted: `${context}.place.wanted`,
  /** Dispatch → cortex and catalog, once a second for offers with traffic: passive health. */
  health: `${context}.health.report`,
} as const;

/** `_INBOX.gateway.<instance id>.<token>` */
const GATEWAY_INBOX = /^_INBOX\.gateway\.([A-Za-z0-9]+)\.([A-Za-z0-9]+)$/;

/** Who listens on a gateway's inbox for frames. */
export interface FrameSubscriber {
  /** The gateway's instance id. */
  gatewayId: string;
  /** Tells the subscribers of an idempotent run apart; one token of a subject. */
  subscriberId: string;
}

/** @returns undefined for a subject that is no gateway's inbox */
export function subscriberOf(inboxSubject: string | undefined): FrameSubscriber | undefined {
  const [, gatewayId, token] = GATEWAY_INBOX.exec(inboxSubject ?? '') ?? [];
  if (gatewayId === undefined || token === undefined) return undefined;
  return { gatewayId, subscriberId: `${gatewayId}-${token}` };
}

export const GATEWAY_SUBJECTS = {
  /** Every gateway instance, once a second: it lives (payload: its instance id). */
  alive: 'gateway.v1.instance.alive',
} as const;
