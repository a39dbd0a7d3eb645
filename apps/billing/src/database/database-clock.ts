import { Inject, Injectable } from '@nestjs/common';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from './tokens';

/** What time it is for all that is kept. */
@Injectable()
export class DatabaseClock {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  async read(): Promise<Date> {
    const [row] = await this.prisma.$queryRaw<{ at: Date }[]>`SELECT clock_timestamp() AS at`;
    if (!row) throw new Error('the database did not say what time it is');
    return row.at;
  }
}
