import { Inject, Injectable } from '@nestjs/common';
import type { ReadinessCheck, ReadinessState } from '@svc/observability';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from './tokens';

/** Ready while the database answers. */
@Injectable()
export class DatabaseReadiness implements ReadinessCheck {
  readonly name = 'database';

  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  async check(): Promise<ReadinessState> {
    await this.prisma.$queryRaw`SELECT 1`;
    return { up: true };
  }
}
