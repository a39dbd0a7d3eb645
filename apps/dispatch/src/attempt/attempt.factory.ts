import { Injectable } from '@nestjs/common';
import type { RunAttempt } from '@svc/contracts';
import type { Endpoint } from '../provider-client/endpoint';
import { ProviderClient } from '../provider-client/provider-client.service';
import { requestBody } from '../provider-client/request-body';
import type { Run } from '../run/run';
import { ChunkWriter } from '../validation/chunk-writer';
import { SchemaChecks } from '../validation/schema-checks.service';
import { StreamReply } from '../validation/stream-reply';
import { Attempt } from './attempt';
import type { Offer } from './offer-directory.service';
import { PlainReader, StreamReader, maxOutputBytes } from './reply-readers';
import type { ReplyReader } from './reply-readers';

/** An offer of the plan that can be called. */
export interface Candidate {
  planned: RunAttempt;
  offer: Offer;
  target: Endpoint;
}

/** An attempt under way, and what writes its chunks for the client. */
export interface StartedAttempt {
  attempt: Attempt;
  /** Of streams. */
  writer: ChunkWriter | undefined;
}

/** Starts attempts: puts together request, reader and writer for one run at one offer. */
@Injectable()
export class AttemptFactory {
  constructor(
    private readonly client: ProviderClient,
    private readonly schemas: SchemaChecks,
  ) {}

  /** @param streamed ask for a stream; the client may want a plain reply all the same */
  start(run: Run, { planned, offer, target }: Candidate, streamed: boolean): StartedAttempt {
    const { maxTokens, stream } = run.request;
    const writer = stream ? this.writerFor(run, planned) : undefined;
    const attempt = new Attempt(this.client, {
      target,
      body: requestBody({
        fields: run.fields,
        upstreamModel: offer.upstreamModel,
        maxTokens,
        stream: streamed,
      }),
      firstTokenTimeoutMs: offer.firstTokenTimeoutMs,
      chunkTimeoutMs: offer.chunkTimeoutMs,
      output: run.output,
      readerFor: (contentType) => this.readerFor(run, writer, contentType),
    });
    return { attempt, writer };
  }

  private readerFor(run: Run, writer: ChunkWriter | undefined, contentType: string): ReplyReader | undefined {
    const { maxTokens, stream } = run.request;
    if (contentType === 'text/event-stream') {
      const sink = run.rules.holdContent ? undefined : writer;
      const reply = new StreamReply(run.rules, this.schemas, sink, maxOutputBytes(maxTokens));
      return new StreamReader(reply, maxTokens);
    }
    // A server that cannot stream answers plainly, which is as good for a client that wants a plain reply.
    if (contentType === 'application/json' && !stream) {
      return new PlainReader(run.rules, this.schemas, maxTokens);
    }
    return undefined;
  }

  private writerFor({ request, output }: Run, planned: RunAttempt): ChunkWriter {
    const { completionId, created, model, includeUsage } = request;
    const identity = { completionId, created, model, fingerprint: fingerprintOf(planned) };
    return new ChunkWriter(identity, includeUsage, output.write);
  }
}

/** Says who served: `<bundle>:<profile>` (spec section 2.2). */
export function fingerprintOf({ bundleId, profileId }: RunAttempt): string {
  return `${bundleId}:${profileId}`;
}
