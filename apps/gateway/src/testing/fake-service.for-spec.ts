import type { RpcContract } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { refuseCall } from '@svc/testing';
import { compileValidator } from '@svc/validation';
import type { NatsConnection } from 'nats';

type Answer<Req, Res> = SvcError | Res | ((request: Req) => SvcError | Res);

/** Answers calls as another service would: what breaks the contract's rules it refuses. Connected as that service. */
export class FakeService {
  /** What it was asked, as it came, by subject. */
  readonly asked: { subject: string; text: string }[] = [];
  private readonly answers = new Map<string, Answer<never, unknown>>();

  constructor(private readonly connection: NatsConnection) {}

  /** Answers this call so from now on. */
  async answer<Req extends object, Res>(
    contract: RpcContract<Req, Res>,
    answer: Answer<Req, Res>,
  ): Promise<void> {
    const { subject, queue, request: Request } = contract;
    const isNew = !this.answers.has(subject);
    this.answers.set(subject, answer);
    if (!isNew) return;
    const validate = compileValidator(Request);
    this.connection.subscribe(subject, {
      queue,
      callback: (_error, message) => {
        const text = message.string();
        this.asked.push({ subject, text });
        const result = validate(JSON.parse(text));
        if (!result.ok) throw new Error(`${subject}: ${result.problem.path} ${result.problem.message}`);
        const current = this.answers.get(subject) as Answer<Req, Res>;
        const reply: unknown =
          typeof current === 'function' ? (current as (request: Req) => unknown)(result.value) : current;
        if (SvcError.is(reply)) refuseCall(message, reply.payload);
        else message.respond(JSON.stringify(reply));
      },
    });
    await this.connection.flush();
  }

  /** The last request of this call. */
  lastOf<Req extends object, Res>({ subject }: RpcContract<Req, Res>): Req {
    const found = this.asked.findLast((each) => each.subject === subject);
    if (!found) throw new Error(`${subject} was not asked`);
    return JSON.parse(found.text) as Req;
  }

  timesAsked({ subject }: { subject: string }): number {
    return this.asked.filter((each) => each.subject === subject).length;
  }
}
