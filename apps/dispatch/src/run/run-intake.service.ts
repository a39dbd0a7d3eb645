import { Inject, Injectable } from '@nestjs/common';
import { StartRunRequest, subscriberOf } from '@svc/contracts';
import type { FrameSubscriber } from '@svc/contracts';
import { internalError } from '@svc/errors';
import { MESSAGING, RpcClient, maxPayloadOf } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { compileValidator } from '@svc/validation';
import type { Msg } from 'nats';
import { DispatchMetrics } from '../dispatch.metrics';
import { FrameClock } from '../live-run/frame-clock';
import { rawBodyOf } from './raw-body';
import { Run } from '../live-run/run';
import type { AnyRun } from '../live-run/run';
import { RunOutput } from '../live-run/run-output';
import type { FrameSender } from '../live-run/run-output';
import { RunRegistry } from './run-registry.service';
import { SharedOutput } from '../live-run/shared-output';

const validate = compileValidator(StartRunRequest);

/** A run, and who listens to it. */
interface TakenRun {
  run: AnyRun;
  who: FrameSubscriber;
  subject: string;
}

/** Reads the messages that start runs. One that is not a valid run is refused and counted, and disturbs nothing. */
@Injectable()
export class RunIntake {
  private readonly sender: FrameSender;

  constructor(
    @Inject(MESSAGING) { connection, instanceId }: Messaging,
    rpc: RpcClient,
    private readonly metrics: DispatchMetrics,
    private readonly registry: RunRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const maxPayloadBytes = () => maxPayloadOf(connection);
    const clock = new FrameClock(() => registry.liveCount);
    this.sender = { publisher: rpc.publisher, instanceId, maxPayloadBytes, clock };
  }

  /** @returns undefined for a message that was refused */
  read(message: Msg): TakenRun | undefined {
    const { reply: subject } = message;
    const who = subscriberOf(subject);
    if (subject === undefined || !who) {
      this.refuse('no_reply_subject');
      return undefined;
    }
    const text = textOf(message.data);
    let input: unknown;
    try {
      input = JSON.parse(text);
    } catch {
      this.refuse('malformed', subject);
      return undefined;
    }
    const result = validate(input);
    if (!result.ok) {
      this.refuse('invalid', subject, result.problem.path);
      return undefined;
    }
    const request = result.value;
    // Validation has shown that the input is an object.
    const rawBody = rawBodyOf(text, input as object);
    const { length } = message.data;
    const run = request.idempotent
      ? new Run(request, who.gatewayId, new SharedOutput(request.stream, this.sender), rawBody, length)
      : new Run(
          request,
          who.gatewayId,
          new RunOutput(subject, { streamed: request.stream, mayPack: request.takesPacked }, this.sender),
          rawBody,
          length,
        );
    return { run, who, subject };
  }

  private refuse(
    reason: 'malformed' | 'invalid' | 'no_reply_subject',
    subject?: string,
    path?: string,
  ): void {
    this.metrics.messageRefused(reason);
    this.logger.warn({ reason, path }, 'a run was refused');
    if (subject === undefined) return;
    const output = new RunOutput(subject, { streamed: false }, this.sender);
    output.fail(JSON.stringify(internalError().payload));
    // Told again should it be lost with the connection.
    this.registry.noteFailure(output);
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}
