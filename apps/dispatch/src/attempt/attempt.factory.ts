import { Injectable } from '@nestjs/common';
import type { OutputLimitField } from '@svc/contracts';
import type { Endpoint } from '../provider-client/endpoint';
import { ProviderClient } from '../provider-client/provider-client.service';
import { requestBody } from '../provider-client/request-body';
import type { CallTrace } from '../provider-client/upstream-call';
import type { ReplyRules } from '../validation/reply-rules';
import { SchemaChecks } from '../validation/schema-checks.service';
import { StreamReply } from '../validation/stream-reply';
import type { DeltaSink } from '../validation/stream-reply';
import { Attempt } from './attempt';
import type { AttemptOutput } from './attempt';
import type { Patience } from './reply-clock';
import { ReplyMemory } from './reply-memory.service';
import { PlainReader, StreamReader } from './reply-readers';
import type { ReplyReader } from './reply-readers';

/** What a provider is asked for, and what its reply has to be like. */
export interface AttemptRequest {
  target: Endpoint;
  upstreamModel: string;
  /** The client's part of the body, from `clientFields`, and what it allows a reply to hold. */
  fields: string;
  rules: ReplyRules;
  /** Whose turn it takes where replies are held against schemas; unless told its own. */
  wallet?: string;
  maxTokens: number;
  outputLimitField?: OutputLimitField;
  /** Ask for a stream. */
  streamed: boolean;
  /** A reply in one piece will do as well: a server that cannot stream answers so. */
  plainWillDo: boolean;
  patience: Patience;
  output: AttemptOutput;
  /** Where texts go as they come; without one they are held until the reply is whole. */
  sink?: DeltaSink;
  trace?: CallTrace;
  onFirstToken?: (attempt: Attempt) => void;
  onProgress?: () => void;
  onSlowReader?: () => void;
}

/** Starts attempts: puts request and reader together. */
@Injectable()
export class AttemptFactory {
  constructor(
    private readonly client: ProviderClient,
    private readonly schemas: SchemaChecks,
    private readonly memory: ReplyMemory,
  ) {}

  start({ fields, ...request }: AttemptRequest): Attempt {
    const { target, patience, output, trace, onFirstToken, onProgress, onSlowReader } = request;
    const { upstreamModel, maxTokens, outputLimitField, streamed: stream } = request;
    const attempt: Attempt = new Attempt(this.client, this.memory, {
      target,
      body: requestBody({ fields, upstreamModel, maxTokens, outputLimitField, stream }),
      patience,
      output,
      trace,
      readerFor: (contentType) => this.readerFor(request, contentType, () => !attempt.isOver),
      onFirstToken,
      onProgress,
      onSlowReader,
    });
    return attempt;
  }

  private readerFor(
    request: Omit<AttemptRequest, 'fields'>,
    contentType: string,
    isWanted: () => boolean,
  ): ReplyReader | undefined {
    const { rules, maxTokens, plainWillDo, sink } = request;
    const schemas = this.schemas.of(request.wallet, isWanted);
    if (contentType === 'text/event-stream') {
      const passedOn = rules.holdContent ? undefined : sink;
      const reply = new StreamReply(rules, schemas, passedOn, maxTokens);
      return new StreamReader(reply, maxTokens);
    }
    if (contentType === 'application/json' && plainWillDo) {
      return new PlainReader(rules, schemas, maxTokens);
    }
    return undefined;
  }
}
