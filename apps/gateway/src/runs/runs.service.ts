import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown, OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { TransientMap } from '@svc/collections';
import type { HoldReference } from '@svc/contracts';
import { noCapacity } from '@svc/errors';
import { Standstill, isNoResponders } from '@svc/messaging';
import type { OpenInbox } from '@svc/messaging';
import { CLOCK } from '../clock';
import type { Clock } from '../clock';
import { GatewayConfig } from '../gateway.config';
import type { RequestRecord } from '../http/request-record';
import { NatsLink } from '../messaging/nats-link';
import { DispatchLink } from './dispatch-link';
import { HoldRelease } from './hold-release';
import { Run } from './run';
import type { RunPorts } from './run';
import type { RunSink } from './run-sink';

/** How often timers are looked at. One timer for all runs: a thousand streams cost no thousand timers. */
const SWEEP_MS = 250;
/** A sweep that comes later than this says that this process stood still. */
const STOOD_STILL_MS = 1_000;
/** Before the process is ended by force, clients still waiting are told. */
const LAST_WORDS_MS = 2_000;
/** Whoever has a run answers an attach at once. */
const ATTACH_WITHIN_MS = 1_000;

/** What starting a run takes. */
interface RunStart {
  hold: HoldReference;
  record: RequestRecord;
  /** A `StartRunRequest`. */
  startJson: string;
  traceparent?: string;
  /** The request has an `Idempotency-Key`. */
  idempotent: boolean;
  /** @param credit tells dispatch how many more bytes it may send */
  sink: (credit: (bytes: number) => void) => RunSink;
}

/** What following a run takes. */
type RunFollowing = Pick<RunStart, 'hold' | 'record' | 'sink'>;

/** A run, and the request that it is for. */
interface TendedRun {
  run: Run;
  record: RequestRecord;
}

/** All runs whose clients wait for an outcome. */
@Injectable()
export class RunsService implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  /** By the subject of the inbox that each has to itself. */
  private readonly runs = new TransientMap<string, TendedRun>();
  /** Requests whose stored reply is on its way. */
  private readonly replays = new TransientMap<number, RequestRecord>();
  private replaySequence = 0;
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly standstill = new Standstill(SWEEP_MS + STOOD_STILL_MS);
  private putOff = false;
  private lookAlso: (nowMs: number) => void = () => undefined;

  constructor(
    private readonly dispatch: DispatchLink,
    private readonly holds: HoldRelease,
    private readonly nats: NatsLink,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(GatewayConfig) private readonly config: GatewayConfig,
  ) {}

  /** Runs that are not over, or whose reply is not, by kind. */
  count(): { plain: number; stream: number } {
    let stream = 0;
    const records = [...this.replays.values()];
    for (const { record } of this.runs.values()) records.push(record);
    for (const record of records) if (record.stream) stream++;
    return { plain: records.length - stream, stream };
  }

  onModuleInit(): void {
    this.nats.onLost(() => this.each((run) => run.lose('nats_lost')));
    this.dispatch.onInstanceLost((instanceId) =>
      this.each((run) => {
        if (run.instanceId === instanceId) run.lose('dispatch_lost');
      }),
    );
    this.standstill.look(this.clock.nowMs());
    this.timers.push(setInterval(() => this.sweepInTime(), SWEEP_MS));
  }

  onModuleDestroy(): void {
    const { shutdownGraceMs, shutdownLeaveMs } = this.config;
    const untilLastWordsMs = Math.max(0, shutdownGraceMs - shutdownLeaveMs - LAST_WORDS_MS);
    const giveUpAll = () => {
      const { payload } = noCapacity('This instance is shutting down. Nothing was charged.', 1);
      this.each((run) => run.giveUp(payload, 'shutdown'));
    };
    this.timers.push(setTimeout(giveUpAll, untilLastWordsMs));
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers.splice(0)) clearTimeout(timer);
  }

  /**
   * Starts a run; its outcome goes to the sink.
   * @throws nothing once the run may have reached dispatch
   */
  start({ hold, record, startJson, traceparent, idempotent, sink }: RunStart): void {
    const role = idempotent ? 'originator' : 'sole';
    const ports = this.portsOf(record, () => inbox, { idempotent });
    const credit = (bytes: number) => {
      if (run.instanceId === undefined) return;
      if (idempotent) this.dispatch.creditInbox(run.instanceId, inbox, bytes);
      else this.dispatch.credit(run.instanceId, hold.holdId, bytes);
    };
    const run = new Run(hold, sink(credit), ports, this.clock.nowMs(), role);
    const inbox = this.dispatch.start(startJson, (message) => run.take(message), traceparent);
    this.add(inbox, run, record);
  }

  /**
   * Follows an idempotent run that another request started; its outcome goes to the sink, which is made when the first frame
   * has come.
   * @returns false when nobody answers that has it, or the client is gone
   */
  follow({ hold, record, sink }: RunFollowing): Promise<boolean> {
    return new Promise((resolve) => {
      const ports = this.portsOf(record, () => inbox, { idempotent: true });
      const giveUp = () => {
        clearTimeout(timer);
        inbox.close();
        // An answer may be on the way.
        this.dispatch.detach(inbox);
        resolve(false);
      };
      const begin = (): Run => {
        clearTimeout(timer);
        const credit = (bytes: number) => {
          if (begun.instanceId !== undefined) this.dispatch.creditInbox(begun.instanceId, inbox, bytes);
        };
        const begun = new Run(hold, sink(credit), ports, this.clock.nowMs(), 'follower');
        this.add(inbox, begun, record);
        resolve(true);
        return begun;
      };
      let run: Run | undefined;
      const inbox = this.dispatch.attach(hold.holdId, (message) => {
        // A dispatch may be about to come back.
        if (isNoResponders(message)) return;
        run ??= begin();
        run.take(message);
      });
      const timer = setTimeout(giveUp, ATTACH_WITHIN_MS);
      if (record.closed) giveUp();
      else record.onClosed = giveUp;
    });
  }

  /** A stored reply is on its way to its client. */
  noteReplay(record: RequestRecord): void {
    if (record.closed) return;
    const key = this.replaySequence++;
    this.replays.set(key, record);
    record.onClosed = () => this.replays.delete(key);
  }

  /** For whoever else has something to look at as often, in time as well. */
  onSweep(look: (nowMs: number) => void): void {
    this.lookAlso = look;
  }

  /** Looks at every run's timers. */
  sweep(): void {
    const nowMs = this.clock.nowMs();
    this.each((run) => run.tick(nowMs));
    this.lookAlso(nowMs);
  }

  /** Not before what dispatch said meanwhile is read, but put off once only: who always comes too late ends what hangs all the same. */
  private sweepInTime(): void {
    this.putOff = this.standstill.look(this.clock.nowMs()) && !this.putOff;
    if (!this.putOff) this.sweep();
  }

  private add({ subject }: OpenInbox, run: Run, record: RequestRecord): void {
    this.runs.set(subject, { run, record });
    const leave = () => {
      run.clientGone();
      if (run.isOver) this.runs.delete(subject);
    };
    // An idempotent run begins without its client too.
    if (record.closed) leave();
    else record.onClosed = leave;
  }

  private portsOf(
    record: RequestRecord,
    inboxOf: () => OpenInbox,
    { idempotent }: Pick<RunStart, 'idempotent'>,
  ): RunPorts {
    return {
      heard: (instanceId) => this.dispatch.heard(instanceId),
      cancel: (requestId) => this.dispatch.cancel(requestId),
      detach: () => this.dispatch.detach(inboxOf()),
      delivered: (instanceId, requestId) => this.dispatch.delivered(instanceId, requestId),
      letGo: (reference, reason, code) => this.holds.letGo(reference, { idempotent, reason, code }),
      over: () => {
        const inbox = inboxOf();
        inbox.close();
        if (record.closed) this.runs.delete(inbox.subject);
      },
    };
  }

  private each(visit: (run: Run) => void): void {
    for (const { run } of this.runs.values()) visit(run);
  }
}
