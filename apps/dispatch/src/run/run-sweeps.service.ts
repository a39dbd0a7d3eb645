import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { billingContracts } from '@svc/contracts';
import { RpcClient } from '@svc/messaging';
import { DISPATCH_CONFIG, DispatchConfig } from '../dispatch.config';
import { RunEndings } from './run-endings.service';
import { RunRegistry } from './run-registry.service';
import { RunService } from './run.service';

const ACCEPT_SWEEP_MS = 100;
const DELIVERY_SWEEP_MS = 250;
/** Leases last 60 s: several renewals may fail before one lapses. */
const LEASE_SWEEP_MS = 10_000;
/** As many as the contract takes in one message. */
const LEASES_PER_MESSAGE = 5_000;
/** Longer than any reply; a run that is still there is stuck. */
const MAX_RUN_MS = 3_600_000;

/** What is done for all runs at once, every so often, instead of with timers for each. */
@Injectable()
export class RunSweeps implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly registry: RunRegistry,
    private readonly runs: RunService,
    private readonly endings: RunEndings,
    private readonly rpc: RpcClient,
    @Inject(DISPATCH_CONFIG) private readonly config: DispatchConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.timers.push(
      setInterval(() => this.acceptSilentRuns(), ACCEPT_SWEEP_MS),
      setInterval(() => this.abandonUndelivered(), DELIVERY_SWEEP_MS),
      setInterval(() => this.renewLeases(), LEASE_SWEEP_MS),
    );
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers.splice(0)) clearInterval(timer);
  }

  private acceptSilentRuns(): void {
    for (const run of this.registry.takeSilent(ACCEPT_SWEEP_MS)) run.output.accept();
  }

  private abandonUndelivered(): void {
    const { deliveryNoticeMs } = this.config;
    const overdue = this.registry.takeUndelivered((_run, ageMs) => ageMs > deliveryNoticeMs);
    for (const run of overdue) this.endings.abandonDelivery(run, 'undelivered');
  }

  private renewLeases(): void {
    const startedBeforeMs = performance.now() - MAX_RUN_MS;
    this.runs.stopAll('overlong', (run) => run.startedMs < startedBeforeMs);
    const holds = [...this.registry.liveRuns].map(({ request: { hold } }) => ({
      wallet: hold.wallet,
      holdId: hold.holdId,
    }));
    for (let start = 0; start < holds.length; start += LEASES_PER_MESSAGE) {
      const some = holds.slice(start, start + LEASES_PER_MESSAGE);
      // The next sweep makes up for one that failed.
      this.rpc.call(billingContracts.renewHolds, { holds: some }).catch(() => undefined);
    }
  }
}
