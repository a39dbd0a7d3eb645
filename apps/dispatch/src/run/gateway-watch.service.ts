import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { DISPATCH_SUBJECTS, GATEWAY_SUBJECTS } from '@svc/contracts';
import { InstanceWatch, MESSAGING, followConnection } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { LOGGER } from '@svc/observability';
import type { Logger } from '@svc/observability';
import { isShared } from '../live-run/run';
import { RunEndings } from './run-endings.service';
import { RunRegistry } from './run-registry.service';
import { RunService } from './run.service';

/** Notices when those that wait for a run's frames cannot get them any more, and stops what is done for nobody. */
@Injectable()
export class GatewayWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly watch: InstanceWatch;

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly runs: RunService,
    private readonly registry: RunRegistry,
    private readonly endings: RunEndings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.watch = new InstanceWatch(messaging, {
      ownSubject: DISPATCH_SUBJECTS.alive,
      watchedSubject: GATEWAY_SUBJECTS.alive,
    });
  }

  /** @param listener called once for each gateway that fell silent */
  onLost(listener: (gatewayId: string) => void): void {
    this.watch.onLost(listener);
  }

  /** A gateway gave a sign of life. */
  heard(gatewayId: string): void {
    this.watch.heard(gatewayId);
  }

  onApplicationBootstrap(): void {
    this.watch.onLost((gatewayId) => this.lost(gatewayId));
    this.watch.start();
    // Frames sent into a lost connection may be lost, so no run can go on over it, and once it is back those that may have
    // missed an end are told one.
    followConnection(this.messaging.connection, {
      onLost: () => this.runs.stopAll('disconnected'),
      onBack: () => this.endings.reconnected(),
    });
  }

  onApplicationShutdown(): void {
    this.watch.stop();
  }

  private lost(gatewayId: string): void {
    const concerns = (run: { gatewayId: string }) => run.gatewayId === gatewayId;
    // Idempotent ones go on without it, also when it leaves in order.
    const underWay = [...this.registry.liveRuns].filter((run) => concerns(run) && !isShared(run)).length;
    this.runs.stopAll('gateway_lost', concerns);
    const undelivered = this.registry.takeUndelivered(concerns);
    for (const run of undelivered) this.endings.abandonDelivery(run, 'gateway_lost');
    // Whoever leaves in order falls silent too, with nothing left to do.
    if (underWay + undelivered.length === 0) this.logger.info({ gatewayId }, 'a gateway is gone');
    else this.logger.warn({ gatewayId, underWay, undelivered: undelivered.length }, 'a gateway fell silent');
  }
}
