import { DISPATCH_SUBJECTS, encodeFrame, subscriberOf } from '@svc/contracts';
import type { FrameType, StartRunRequest } from '@svc/contracts';
import { eventually } from '@svc/testing';
import type { Msg, NatsConnection, Subscription } from 'nats';

export const INSTANCE = 'disp0001';
/** Nobody says that this one lives: a run of which it was heard is lost some seconds later. */
export const SILENT_INSTANCE = 'disp0009';
/** As often as a real one: what is silent for 3.5 s is taken for lost. */
const BEAT_MS = 1_000;

/** Frames to one gateway's inbox. */
class FakeFrames {
  sequence = 0;

  constructor(readonly message: Msg) {}

  /** As which the gateway listens to an idempotent run. */
  get subscriberId(): string {
    return subscriberOf(this.message.reply)?.subscriberId ?? '';
  }

  send(type: FrameType, payload: string | Uint8Array = '', instanceId = INSTANCE): void {
    this.message.respond(encodeFrame({ type, sequence: this.sequence++, instanceId, payload }));
  }

  /** Where the gateway waits for them. */
  get inbox(): string {
    return this.message.reply ?? '';
  }

  sendRaw(bytes: Uint8Array): void {
    this.message.respond(bytes);
  }
}

/** One run as the stand-in got it; the test says what comes of it. */
export class FakeRun extends FakeFrames {
  constructor(
    readonly request: StartRunRequest & { body: Record<string, unknown> },
    message: Msg,
  ) {
    super(message);
  }

  /** Ends the run as dispatch ends a plain one. */
  complete(): object {
    const body = {
      id: this.request.completionId,
      object: 'chat.completion',
      created: this.request.created,
      model: this.request.model,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi.' } }],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
      svc: { cost_usdc: '0.000002', provider: this.request.attempts[0]?.provider },
    };
    this.send('end', JSON.stringify(body));
    return body;
  }
}

/** A gateway that wants to follow a run. */
interface FakeAttach {
  holdId: string;
  frames: FakeFrames;
}

/** Takes runs and leaves them to the test; notes what it is told, and says that it lives. */
export class FakeDispatch {
  runs: FakeRun[] = [];
  cancels: string[] = [];
  /** Gateways that want to follow a run, by the run's id. */
  attaches: FakeAttach[] = [];
  detaches: string[] = [];
  credits: { requestId: string; bytes: number }[] = [];
  delivered: string[] = [];
  /** What to do with a run at once. */
  onRun: (run: FakeRun) => void = () => undefined;
  /** What to answer at once to a gateway that wants to follow a run. */
  onAttach: (attach: FakeAttach) => void = () => undefined;
  private starts: Subscription | undefined;
  private readonly beats: NodeJS.Timeout;

  constructor(private readonly connection: NatsConnection) {
    this.subscribeToStarts();
    this.beats = setInterval(() => {
      if (!connection.isClosed()) connection.publish(DISPATCH_SUBJECTS.alive, INSTANCE);
    }, BEAT_MS).unref();
    connection.subscribe(DISPATCH_SUBJECTS.anyCancel, {
      callback: (_error, message) => void this.cancels.push(message.subject.split('.').at(-1) ?? ''),
    });
    connection.subscribe(DISPATCH_SUBJECTS.anyAttach, {
      callback: (_error, message) => {
        const attach = {
          holdId: message.subject.split('.').at(-1) ?? '',
          frames: new FakeFrames(message),
        };
        this.attaches.push(attach);
        this.onAttach(attach);
      },
    });
    connection.subscribe(DISPATCH_SUBJECTS.anyDetach, {
      callback: (_error, message) => void this.detaches.push(message.subject.split('.').at(-1) ?? ''),
    });
    connection.subscribe(DISPATCH_SUBJECTS.creditsOf(INSTANCE), {
      callback: (_error, message) =>
        void this.credits.push({
          requestId: message.subject.split('.').at(-1) ?? '',
          bytes: Number(message.string()),
        }),
    });
    connection.subscribe(DISPATCH_SUBJECTS.delivered(INSTANCE), {
      callback: (_error, message) => void this.delivered.push(...message.string().split('\n')),
    });
  }

  /** Takes runs again. */
  async listen(): Promise<void> {
    this.subscribeToStarts();
    await this.connection.flush();
  }

  stop(): void {
    clearInterval(this.beats);
  }

  private subscribeToStarts(): void {
    this.starts = this.connection.subscribe(DISPATCH_SUBJECTS.start, {
      queue: DISPATCH_SUBJECTS.queue,
      callback: (_error, message) => {
        const run = new FakeRun(message.json(), message);
        this.runs.push(run);
        this.onRun(run);
      },
    });
  }

  /** Takes no more runs. */
  async deafen(): Promise<void> {
    this.starts?.unsubscribe();
    await this.connection.flush();
  }

  /** The next run that is started; those before it are forgotten. */
  async nextRun(): Promise<FakeRun> {
    await eventually(() => this.runs.length > 0);
    const run = this.runs.shift();
    if (!run) throw new Error('no run');
    return run;
  }
}
