import { Controller, Get, Header, Inject, Res } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import type { HealthCheckResult, HealthIndicatorResult } from '@nestjs/terminus';
import type { MetricsRegistry } from './metrics';
import type { ReadinessCheck } from './readiness';
import { METRICS_REGISTRY, READINESS_CHECKS } from './tokens';

/** The part of a Fastify reply that is used here, so that this lib needs no HTTP server of its own. */
interface TextReply {
  header(name: string, value: string): TextReply;
  send(payload: string): unknown;
}

/** Health and metrics, the same for every service. */
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    @Inject(READINESS_CHECKS) private readonly checks: ReadinessCheck[],
    @Inject(METRICS_REGISTRY) private readonly registry: MetricsRegistry,
  ) {}

  /** Alive: the process answers. Says nothing of its surroundings, so that an outage elsewhere restarts nobody. */
  @Get('health/live')
  @Header('cache-control', 'no-store')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Ready: everything the service needs is there; 503 with the one that is not otherwise, or when shutting down. */
  @Get('health/ready')
  ready(): Promise<HealthCheckResult> {
    return this.health.check(this.checks.map((check) => () => this.indicate(check)));
  }

  @Get('metrics')
  async metrics(@Res() reply: TextReply): Promise<void> {
    const text = await this.registry.metrics();
    reply.header('content-type', this.registry.contentType).send(text);
  }

  private async indicate(check: ReadinessCheck): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check(check.name);
    try {
      const state = await check.check();
      const data = { detail: state.detail ?? (state.up ? 'ok' : 'down') };
      return state.up ? indicator.up(data) : indicator.down(data);
    } catch {
      return indicator.down();
    }
  }
}
