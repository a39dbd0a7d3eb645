import { Controller, Get, Header, Inject } from '@nestjs/common';
import type { OnModuleDestroy } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import type { HealthCheckResult, HealthIndicatorResult } from '@nestjs/terminus';
import { valueWithin } from '@svc/time-limit';
import type { Logger } from './logger';
import { Gauge } from './metrics';
import type { MetricsRegistry } from './metrics';
import type { ReadinessCheck, ReadinessState } from './readiness';
import { LOGGER, METRICS_REGISTRY, READINESS_CHECKS } from './tokens';

/** Below the time-outs of probes (3 s in Docker Compose): one that gives up is not told what is down. */
const PATIENCE_MS = 2_500;

/** Whoever reads metrics wants the others too, and soon: what starts processes by their load waits a second for them. */
const METRICS_PATIENCE_MS = 500;

/** Of a check that is still waiting then: a server that stands still answers nobody. */
const NO_ANSWER = { up: false, detail: 'no answer' };

/** Of a check that failed: what its error says may name hosts and roles, and is for the log. */
const FAILED = { up: false, detail: 'failed: the log says why' };

const STOPPING: ReadinessCheck = { name: 'serving', check: () => ({ up: false, detail: 'stopping' }) };

/** Health, the same for every service. */
@Controller()
export class HealthController implements OnModuleDestroy {
  private isStopping = false;
  /** What the failures were that the log was told of, by check: probes come every few seconds. */
  private readonly told = new Map<string, string>();

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(READINESS_CHECKS) private readonly checks: ReadinessCheck[],
    @Inject(METRICS_REGISTRY) registry: MetricsRegistry,
  ) {
    this.show(registry);
  }

  /** Alive: the process answers. Says nothing of its surroundings, so that an outage elsewhere restarts nobody. */
  @Get('health/live')
  @Header('cache-control', 'no-store')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Ready: everything the service needs is there; 503 with the one that is not otherwise, or when shutting down. */
  @Get('health/ready')
  ready(): Promise<HealthCheckResult> {
    const checks = this.isStopping ? [...this.checks, STOPPING] : this.checks;
    return this.health.check(checks.map((check) => () => this.indicate(check)));
  }

  /** Terminus takes notice later: when the work under way has been finished. */
  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /** What is not there, for those who watch metrics: an outage while nobody asks for anything is counted nowhere else. */
  private show(registry: MetricsRegistry): void {
    const states = () =>
      Promise.all(
        this.checks.map(async (check) => ({
          check: check.name,
          up: (await this.stateOf(check, METRICS_PATIENCE_MS)).up,
        })),
      );
    new Gauge({
      name: 'svc_ready',
      help: 'The checks of /health/ready: 1 for one that passes, 0 for one that does not or says nothing for half a second.',
      labelNames: ['check'],
      registers: [registry],
      async collect() {
        for (const { check, up } of await states()) this.set({ check }, up ? 1 : 0);
      },
    });
  }

  private async indicate(check: ReadinessCheck): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check(check.name);
    const { up, detail } = await this.stateOf(check, PATIENCE_MS);
    return up ? indicator.up({ detail: detail ?? 'ok' }) : indicator.down({ detail: detail ?? 'down' });
  }

  private async stateOf(check: ReadinessCheck, patienceMs: number): Promise<ReadinessState> {
    try {
      const state = await valueWithin(patienceMs, check.check(), NO_ANSWER);
      this.told.delete(check.name);
      return state;
    } catch (error) {
      this.tell(check.name, error);
      return FAILED;
    }
  }

  private tell(check: string, error: unknown): void {
    const words = String(error);
    if (this.told.get(check) !== words) this.logger.warn({ err: error, check }, 'readiness check failed');
    this.told.set(check, words);
  }
}
