import { Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import {
  MOST_RENEWED_HOLDS,
  MOST_RUN_BLOCKED_MS,
  RUN_HEARD_EVERY_MS,
  billingContracts,
} from '@svc/contracts';
import type { RenewedHolds } from '@svc/contracts';
import { RpcClient, Standstill } from '@svc/messaging';
import { DispatchConfig } from '../dispatch.config';
import { isShared } from '../live-run/run';
import { RunEndings } from './run-endings.service';
import { RunRegistry } from './run-registry.service';
import { RunService } from './run.service';

const ACCEPT_SWEEP_MS = 100;
const DELIVERY_SWEEP_MS = 250;
/** A sweep that comes later than that says that this process stood still. */
const STOOD_STILL_MS = 1_000;
/** How often it is looked who takes too long. */
const LONG_SWEEP_MS = 10_000;
/** How often leases are renewed at the least … */
const LEASE_SWEEP_MS = 10_000;
/** … and until billing has said how long they are. */
const FIRST_LEASE_SWEEP_MS = 1_000;
/** Several may fail before a lease lapses. */
const RENEWALS_PER_LEASE = 6;
/** However short leases are. */
const SHORTEST_LEASE_SWEEP_MS = 100;
/** Longer than any reply, which may take an hour and wait for its client besides; a run that is still there is stuck. */
const MAX_RUN_MS = 4_500_000;

/** What is done for all runs at once, periodically, instead of with timers for each. */
@Injectable()
export class RunSweeps implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly timers: NodeJS.Timeout[] = [];
  private renewal: NodeJS.Timeout | undefined;
  private renewEveryMs = FIRST_LEASE_SWEEP_MS;
  private readonly standstill = new Standstill(DELIVERY_SWEEP_MS + STOOD_STILL_MS);

  constructor(
    private readonly registry: RunRegistry,
    private readonly runs: RunService,
    private readonly endings: RunEndings,
    private readonly rpc: RpcClient,
    private readonly config: DispatchConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.standstill.look(performance.now());
    this.timers.push(
      setInterval(() => this.acceptSilentRuns(), ACCEPT_SWEEP_MS),
      setInterval(() => this.abandonUndelivered(), DELIVERY_SWEEP_MS),
      setInterval(() => this.keepHeard(), RUN_HEARD_EVERY_MS),
      setInterval(() => this.stopLongRuns(), LONG_SWEEP_MS),
    );
    this.renewal = setInterval(() => this.renewLeases(), this.renewEveryMs);
    this.renewLeases();
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers.splice(0)) clearInterval(timer);
    clearInterval(this.renewal);
    this.renewal = undefined;
  }

  private acceptSilentRuns(): void {
    for (const run of this.registry.takeSilent(ACCEPT_SWEEP_MS)) run.output.accept();
  }

  /** What is written for a plain reply, or held until it is whole, shows nobody that the run goes on. */
  private keepHeard(): void {
    for (const run of this.registry.liveRuns) {
      run.output.keepHeard();
      // Nobody else is asked from then on; most runs are over before this comes by.
      if (run.output.delivered) run.forgetTexts();
    }
  }

  private abandonUndelivered(): void {
    const { deliveryNoticeMs } = this.config;
    if (this.standstill.look(performance.now())) return this.registry.renewUndelivered();
    const overdue = this.registry.takeUndelivered((_run, ageMs) => ageMs > deliveryNoticeMs);
    for (const run of overdue) this.endings.abandonDelivery(run, 'undelivered');
  }

  private stopLongRuns(): void {
    const nowMs = performance.now();
    this.runs.stopAll('overlong', (run) => run.startedMs < nowMs - MAX_RUN_MS);
    this.runs.stopAll(
      'stalled',
      (run) => !isShared(run) && run.output.blockedMs(nowMs) > MOST_RUN_BLOCKED_MS,
    );
  }

  /** Asks without any as well: the answer says how long they are. */
  private renewLeases(): void {
    const holds = [...this.registry.liveRuns].map(({ request: { hold } }) => ({
      wallet: hold.wallet,
      holdId: hold.holdId,
    }));
    for (let start = 0; start === 0 || start < holds.length; start += MOST_RENEWED_HOLDS) {
      const some = holds.slice(start, start + MOST_RENEWED_HOLDS);
      // The next sweep makes up for one that failed.
      this.rpc.call(billingContracts.renewHolds, { holds: some }).then(
        (renewed) => this.keepUpWith(renewed),
        () => undefined,
      );
    }
  }

  /** Renews as often as leases need it. A billing of before does not say how long they are. */
  private keepUpWith({ leaseMs }: RenewedHolds): void {
    const neededMs = leaseMs / RENEWALS_PER_LEASE;
    const everyMs = neededMs < LEASE_SWEEP_MS ? Math.max(neededMs, SHORTEST_LEASE_SWEEP_MS) : LEASE_SWEEP_MS;
    if (everyMs === this.renewEveryMs || !this.renewal) return;
    this.renewEveryMs = everyMs;
    clearInterval(this.renewal);
    this.renewal = setInterval(() => this.renewLeases(), everyMs);
  }
}
