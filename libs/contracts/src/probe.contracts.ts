import {
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import type { ReasoningField } from './catalog/answering.contracts';
import { IsWallet } from './fields';
import { defineRpc } from './rpc-contract';

/** Where a provider's endpoint is, and what it wants to hear. */
export class ProbedEndpoint {
  @IsWallet()
  provider!: string;

  @Matches(/^https?:\/\/[^\s/]+/, { message: 'must be an http or https URL' })
  @MaxLength(300)
  endpoint!: string;

  /** Sealed for dispatch. */
  @IsOptional()
  @IsString()
  @MaxLength(2_000)
  credential?: string;
}

/**
 * Asks an endpoint for one completion the way a client's request is made and read, without a hold and without a charge.
 * Whatever the endpoint does comes back as an observation; errors are our own: no_capacity when too many probes are under way.
 */
export class ProbeCallRequest extends ProbedEndpoint {
  @IsString()
  @Length(1, 200)
  upstreamModel!: string;

  @IsBoolean()
  stream!: boolean;

  @IsInt()
  @Min(1)
  @Max(1_000_000)
  maxTokens!: number;

  @IsInt()
  @Min(100)
  @Max(120_000)
  firstTokenTimeoutMs!: number;

  @IsInt()
  @Min(100)
  @Max(120_000)
  chunkTimeoutMs!: number;

  /** Over after so long whatever comes. */
  @IsInt()
  @Min(100)
  @Max(120_000)
  timeoutMs!: number;

  /** `first_token`: hangs up as soon as the first token has come. */
  @IsIn(['end', 'first_token'])
  until!: 'end' | 'first_token';

  /** The chat-completions body, without model, stream and max_tokens. */
  @IsObject()
  body!: object;
}

export interface ProbeToolCall {
  id: string;
  name: string;
  /** A JSON document. */
  arguments: string;
  /** What the server put beside it, for itself. */
  extraContent?: object;
}

/** A reply that would have been delivered. */
export interface ProbeReply {
  content: string | null;
  /** What it thought before, where it tells. */
  reasoning?: string;
  /** The field in which that stood. */
  reasoningField?: ReasoningField;
  toolCalls: ProbeToolCall[];
  finishReason: string;
  /** What the provider claims; absent when it says nothing that can be used. */
  usage?: { promptTokens: number; completionTokens: number };
  /** UTF-8 bytes the model wrote, without what nobody sees of them (zero-width characters, long runs of blanks). */
  outputBytes: number;
}

/** Why there is none. */
export interface ProbeFailure {
  /** `unavailable`: refused, broke off, or too slow; `invalid`: answered with what must not be delivered. */
  kind: 'unavailable' | 'invalid';
  /** A `FailureReason`, or a word of another version of dispatch. */
  reason: string;
  /** When the provider named a time to come back. */
  retryAfterSeconds?: number;
}

export interface ProbeObservation {
  /** `replied`, `failed`, or `left`: hung up on after the first token as asked. */
  outcome: 'replied' | 'failed' | 'left';
  reply?: ProbeReply;
  failure?: ProbeFailure;
  /** HTTP status, where one came. */
  status?: number;
  /** The request's body as it was sent, and the beginning of what came back as text, each at most 8 KiB. */
  sent: string;
  received: string;
  receivedBytes: number;
  firstTokenMs?: number;
  totalMs: number;
}

/** Asks whether the endpoint may be called at all: a URL of a public address, or of a network the operator allows. */
export class CheckEndpointRequest {
  @Matches(/^https?:\/\/[^\s/]+/, { message: 'must be an http or https URL' })
  @MaxLength(300)
  endpoint!: string;
}

export interface CheckedEndpoint {
  permitted: boolean;
  /** For the provider: why not. */
  reason?: string;
}

/** Whether the endpoint is there: GET `<endpoint>/models`. Any HTTP status below 500 is a sign of life. */
export class PingEndpointRequest extends ProbedEndpoint {}

export interface PingedEndpoint {
  alive: boolean;
  status?: number;
  /** Why not: a `FailureReason`, or a word of another version of dispatch. */
  reason?: string;
  ms: number;
}

const queue = 'dispatch';

/** What the catalogue asks dispatch, which alone reaches providers. */
export const probeContracts = {
  call: defineRpc<ProbeCallRequest, ProbeObservation>({
    subject: 'dispatch.v1.probe.call',
    queue,
    timeoutMs: 130_000,
    request: ProbeCallRequest,
  }),
  check: defineRpc<CheckEndpointRequest, CheckedEndpoint>({
    subject: 'dispatch.v1.probe.check',
    queue,
    timeoutMs: 6_000,
    request: CheckEndpointRequest,
  }),
  ping: defineRpc<PingEndpointRequest, PingedEndpoint>({
    subject: 'dispatch.v1.probe.ping',
    queue,
    timeoutMs: 10_000,
    request: PingEndpointRequest,
  }),
};
