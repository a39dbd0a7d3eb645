import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown, OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { HoldReference } from '@svc/contracts';
import { noCapacity } from '@svc/errors';
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
/** Before the process is ended by force, clients still waiting are told. */
const LAST_WORDS_MS = 2_000;

/** What starting a run takes. */
export interface RunStart {
  hold: HoldReference;
  record: RequestRecord;
  /** A `StartRunRequest`. */
  startJson: string;
  traceparent?: string;
  /** @param credit tells dispatch how many more bytes it may send */
  sink: (credit: (bytes: number) => void) => RunSink;
}

/** All runs whose clients wait for an outcome. */
@Injectable()
export class RunsService implements OnModuleInit, OnModuleDestroy, OnApplicationShutdown {
  private readonly runs = new Map<Run, RequestRecord>();
  private readonly timers: NodeJS.Timeout[] = [];

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
    for (const record of this.runs.values()) if (record.stream) stream++;
    return { plain: this.runs.size - stream, stream };
  }

  onModuleInit(): void {
    this.nats.onLost(() => this.each((run) => run.lose('nats_lost')));
    this.dispatch.onInstanceLost((instanceId) =>
      this.each((run) => {
        if (run.instanceId === instanceId) run.lose('dispatch_lost');
      }),
    );
    this.timers.push(setInterval(() => this.sweep(), SWEEP_MS));
  }

  onModuleDestroy(): void {
    const untilLastWordsMs = Math.max(0, this.config.shutdownGraceMs - LAST_WORDS_MS);
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
  start({ hold, record, startJson, traceparent, sink }: RunStart): void {
    const ports: RunPorts = {
      heard: (instanceId) => this.dispatch.heard(instanceId),
      cancel: (requestId) => this.dispatch.cancel(requestId),
      delivered: (instanceId, requestId) => this.dispatch.delivered(instanceId, requestId),
      abandon: (reference, reason) => this.holds.abandon(reference, reason),
      over: (ended) => {
        inbox.close();
        if (record.closed) this.runs.delete(ended);
      },
    };
    const credit = (bytes: number) => {
      if (run.instanceId !== undefined) this.dispatch.credit(run.instanceId, hold.holdId, bytes);
    };
    const run = new Run(hold, sink(credit), ports, this.clock.nowMs());
    const inbox = this.dispatch.start(startJson, (message) => run.take(message), traceparent);
    this.runs.set(run, record);
    record.onClosed = () => {
      run.clientGone();
      if (run.isOver) this.runs.delete(run);
    };
  }

  /** Looks at every run's timers. */
  sweep(): void {
    const nowMs = this.clock.nowMs();
    this.each((run) => run.tick(nowMs));
  }

  private each(visit: (run: Run) => void): void {
    for (const run of this.runs.keys()) visit(run);
  }
}
