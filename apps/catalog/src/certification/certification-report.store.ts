import { Inject, Injectable } from '@nestjs/common';
import type { CertificationReport } from '@svc/contracts';
import type { PrismaClient } from '@svc/persistence';
import { DATABASE } from '../database/tokens';
import { certificationReport } from './certification-report';

/** Reports as they are read. */
@Injectable()
export class CertificationReportStore {
  constructor(@Inject(DATABASE) private readonly prisma: PrismaClient) {}

  /** @returns undefined for a run that is not there */
  async find(id: string): Promise<CertificationReport | undefined> {
    const row = await this.prisma.certification.findUnique({
      where: { id },
      include: { probes: { orderBy: { position: 'asc' } }, offer: { include: { bundle: true } } },
    });
    return row ? certificationReport(row) : undefined;
  }
}
