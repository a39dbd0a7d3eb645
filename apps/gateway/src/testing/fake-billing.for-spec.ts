import { SETTLEMENT_QUEUE, billingContracts } from '@svc/contracts';
import type {
  AdmitHoldRequest,
  AdmittedHold,
  CheckKeyRequest,
  FindIdempotentRequest,
  KeyView,
  ReadResponseRequest,
  ReleaseHoldRequest,
} from '@svc/contracts';
import type { ErrorPayload } from '@svc/errors';
import { TurnPublisher, callsIn } from '@svc/messaging';
import type { IncomingCall } from '@svc/messaging';
import { refuseCall } from '@svc/testing';
import { AckPolicy, RetentionPolicy } from 'nats';
import type { ConsumerMessages, Msg, NatsConnection } from 'nats';
import { answerCall } from './answer-call.for-spec';
import { awaitAnswers } from './silence.for-spec';

export const wallet = `0x${'b'.repeat(40)}`;

/** Holds whatever it is asked to, unless told what is wrong; `silent` answers nothing. */
export class FakeBilling {
  /** What a key is told about itself. */
  keyView: ErrorPayload | KeyView | undefined;
  /** Called before an admission is answered. */
  beforeAdmission: () => Promise<void> = () => Promise.resolve();
  admissions: AdmitHoldRequest[] = [];
  keyChecks: CheckKeyRequest[] = [];
  /** What stands under an idempotency key, whichever it is; undefined lets a request run. */
  standing: (Pick<AdmittedHold, 'state' | 'holdId'> & { reply?: Buffer[] }) | undefined;
  finds: FindIdempotentRequest[] = [];
  /** What came into the durable queue, by message id. */
  settlements = new Map<string, ReleaseHoldRequest>();

  private messages: ConsumerMessages | undefined;
  private admits: ErrorPayload | 'ok' | 'silent' = 'ok';
  private knowsKeys: ErrorPayload | 'ok' | 'silent' = 'ok';
  private tellsReplies: ErrorPayload | 'ok' | 'silent' = 'ok';

  constructor(private readonly connection: NatsConnection) {}

  set admission(answer: ErrorPayload | 'ok' | 'silent') {
    this.admits = answer;
    const { admitHold } = billingContracts;
    awaitAnswers(answer, { admitHold });
  }

  set key(answer: ErrorPayload | 'ok' | 'silent') {
    this.knowsKeys = answer;
    const { checkKey, findIdempotent } = billingContracts;
    awaitAnswers(answer, { checkKey, findIdempotent });
  }

  /** Whether stored replies are told. */
  set responses(answer: ErrorPayload | 'ok' | 'silent') {
    this.tellsReplies = answer;
    const { readResponse } = billingContracts;
    awaitAnswers(answer, { readResponse });
  }

  async start(): Promise<this> {
    const manager = await this.connection.jetstreamManager();
    const { stream, deferSubject, releaseSubject, consumer } = SETTLEMENT_QUEUE;
    const subjects = [deferSubject, releaseSubject];
    await manager.streams.add({ name: stream, subjects, retention: RetentionPolicy.Workqueue });
    await manager.consumers.add(stream, { durable_name: consumer, ack_policy: AckPolicy.Explicit });
    void this.consume();
    this.serve(billingContracts.admitHold.subject, async (message) => {
      const calls = callsIn(message, TurnPublisher.of(this.connection));
      await Promise.all(calls.map((call) => answerCall(call, (asked) => this.admit(asked))));
    });
    this.serve(billingContracts.findIdempotent.subject, (message) => {
      this.finds.push(message.json());
      const { standing } = this;
      const found = standing && { ...standing, reply: undefined, wallet, amount: '77' };
      answer(message, this.knowsKeys, { found: found ?? null });
      return Promise.resolve();
    });
    this.serve(billingContracts.readResponse.subject, (message) => {
      const { part, holdId } = message.json<ReadResponseRequest>();
      const parts = this.standing?.holdId === holdId ? (this.standing.reply ?? []) : [];
      const bytes = parts[part]?.toString('base64');
      const none: ErrorPayload = { code: 'invalid_request', message: 'none', status: 404 };
      answer(message, bytes === undefined ? none : this.tellsReplies, { bytes, parts: parts.length });
      return Promise.resolve();
    });
    this.serve(billingContracts.checkKey.subject, (message) => {
      this.keyChecks.push(message.json());
      answer(message, this.knowsKeys, { wallet, keyId: 'key_1' });
      return Promise.resolve();
    });
    this.serve(billingContracts.showKey.subject, (message) => {
      const refused = this.keyView !== undefined && 'code' in this.keyView;
      answer(message, refused ? (this.keyView as ErrorPayload) : 'ok', this.keyView ?? {});
      return Promise.resolve();
    });
    await this.connection.flush();
    return this;
  }

  async stop(): Promise<void> {
    await this.messages?.close();
  }

  private async admit({ read, answer: told }: IncomingCall): Promise<void> {
    const request = read() as AdmitHoldRequest;
    this.admissions.push(request);
    await this.beforeAdmission();
    const standing = request.idempotency && this.standing;
    const { state, holdId } = standing ?? { state: 'held', holdId: request.requestId };
    const { admits } = this;
    if (admits === 'silent') return;
    if (admits !== 'ok') return told?.error(admits.code, JSON.stringify(admits));
    told?.result(JSON.stringify({ state, holdId, wallet, amount: request.amount }));
  }

  private serve(subject: string, handle: (message: Msg) => Promise<void>): void {
    this.connection.subscribe(subject, {
      queue: 'billing',
      callback: (_error, message) => void handle(message),
    });
  }

  private async consume(): Promise<void> {
    const { stream, consumer } = SETTLEMENT_QUEUE;
    this.messages = await (await this.connection.jetstream().consumers.get(stream, consumer)).consume();
    for await (const message of this.messages) {
      this.settlements.set(message.headers?.get('Nats-Msg-Id') ?? '', message.json());
      message.ack();
    }
  }
}

function answer(message: Msg, state: ErrorPayload | 'ok' | 'silent', reply: object): void {
  if (state === 'silent') return;
  if (state === 'ok') message.respond(JSON.stringify(reply));
  else refuseCall(message, state);
}
