import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { DISPATCH_SUBJECTS, subscriberOf } from '@svc/contracts';
import { MESSAGING, holdsJetStreamAnswer, listen } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import type { Msg } from 'nats';
import { RunAttachments } from './run-attachments.service';
import { isShared } from '../live-run/run';
import { RunRegistry } from './run-registry.service';
import { RunService } from './run.service';

const CREDIT = /^[1-9]\d{0,8}$/;

/**
 * What gateways say about runs under way: hung up, more room, delivered, somebody else listens. Subscribed here and not as handlers, because
 * handlers end before the work that is under way at a shutdown does, and it needs these to its end.
 */
@Injectable()
export class RunSignals implements OnApplicationBootstrap {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly runs: RunService,
    private readonly registry: RunRegistry,
    private readonly attachments: RunAttachments,
  ) {}

  onApplicationBootstrap(): void {
    const { connection, instanceId } = this.messaging;
    listen(connection, DISPATCH_SUBJECTS.anyCancel, (message) => {
      if (!holdsJetStreamAnswer(message.data)) this.runs.cancel(lastToken(message));
    });
    listen(connection, DISPATCH_SUBJECTS.creditsOf(instanceId), (message) => {
      const credit = message.string();
      if (CREDIT.test(credit)) this.credit(lastToken(message), Number(credit));
    });
    listen(connection, DISPATCH_SUBJECTS.anyAttach, (message) => {
      const who = subscriberOf(message.reply);
      if (who && message.reply) this.attachments.attach(lastToken(message), who, message.reply);
    });
    listen(connection, DISPATCH_SUBJECTS.anyDetach, (message) => {
      if (!holdsJetStreamAnswer(message.data)) this.attachments.detach(lastToken(message));
    });
    listen(connection, DISPATCH_SUBJECTS.delivered(instanceId), (message) => {
      for (const requestId of message.string().split('\n')) this.registry.forgetDelivery(requestId);
    });
  }

  /** @param whose a request's id, or a subscriber's */
  private credit(whose: string, bytes: number): void {
    const run = this.registry.find(whose);
    if (!run) return this.attachments.addCredit(whose, bytes);
    // Its subscribers have a pace each.
    if (isShared(run)) return;
    run.output.addCredit(bytes);
    run.resume();
  }
}

/** The request id of a subject that ends in one. */
function lastToken({ subject }: Msg): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}
