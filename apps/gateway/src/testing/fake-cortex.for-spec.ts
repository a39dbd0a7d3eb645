import { cortexContracts } from '@svc/contracts';
import type { CreatePlanRequest, Plan, PlannedAttempt } from '@svc/contracts';
import { TurnPublisher, callsIn } from '@svc/messaging';
import type { IncomingCall } from '@svc/messaging';
import type { Msg, NatsConnection } from 'nats';
import { answerCall } from './answer-call.for-spec';
import { awaitAnswers } from './silence.for-spec';

export const attempt: PlannedAttempt = {
  offerId: 'offer_1',
  model: 'svc/demo@1',
  provider: `0x${'a'.repeat(40)}`,
  bundleId: 'bundle_1',
  profileId: 'profile_1',
  inputPricePerMtok: '100000',
  outputPricePerMtok: '400000',
  why: 'the test says so',
};

/** Plans what it is told to; with `silent` it does not answer. */
export class FakeCortex {
  /** Called before a plan is answered. */
  beforePlan: () => Promise<void> = () => Promise.resolve();
  requests: CreatePlanRequest[] = [];
  private planned: Plan | 'silent' = { attempts: [attempt] };

  constructor(connection: NatsConnection) {
    const { subject, queue } = cortexContracts.createPlan;
    connection.subscribe(subject, {
      queue,
      callback: (_error, message: Msg) => {
        for (const call of callsIn(message, TurnPublisher.of(connection))) {
          void answerCall(call, (asked) => this.answer(asked));
        }
      },
    });
  }

  set plan(plan: Plan | 'silent') {
    this.planned = plan;
    const { createPlan } = cortexContracts;
    awaitAnswers(plan, { createPlan });
  }

  private async answer({ read, answer: told }: IncomingCall): Promise<void> {
    this.requests.push(read() as CreatePlanRequest);
    await this.beforePlan();
    if (this.planned !== 'silent') told?.result(JSON.stringify(this.planned));
  }
}
