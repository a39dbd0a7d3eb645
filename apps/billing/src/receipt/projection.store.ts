import { Inject, Injectable } from '@nestjs/common';
import { Prisma } from '@svc/persistence';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';

/** `receipts`: what settlement collects; `statements`: what statements read. */
export type ProjectionName = 'receipts' | 'statements';

/** What a projection has not read yet. */
export interface ProjectionLag {
  readonly name: ProjectionName;
  /** Counted up to {@link MOST_COUNTED} of each kind. */
  readonly rows: number;
  /** How long the oldest of them has been waiting; 0 without any. */
  readonly seconds: number;
}

export const MOST_COUNTED = 5_000;

/** Runs the projections, in the database: exactly once each record, whoever calls however often. */
@Injectable()
export class ProjectionStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /**
   * Reads what was committed since the last call, in one commit; one call at a time, others wait.
   * @returns how many records it read: fewer than `most` when there were no more
   */
  async run(name: ProjectionName, most: number): Promise<number> {
    const project =
      name === 'receipts'
        ? Prisma.sql`billing.project_receipts(${most}::integer)`
        : Prisma.sql`billing.project_statements(${most}::integer)`;
    const [row] = await this.prisma.$queryRaw<{ read: number }[]>`SELECT ${project} AS read`;
    return row?.read ?? 0;
  }

  lag(): Promise<ProjectionLag[]> {
    return this.prisma.$queryRaw<ProjectionLag[]>`
      SELECT name, waiting AS rows, seconds FROM billing.projection_lag(${MOST_COUNTED}::integer)`;
  }
}
