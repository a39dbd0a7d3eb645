import { Controller } from '@nestjs/common';
import { catalogContracts } from '@svc/contracts';
import type { CertificationReport, ShowCertificationRequest } from '@svc/contracts';
import { notFound } from '@svc/errors';
import { HandleRpc } from '@svc/messaging';
import { CertificationReportStore } from './certification-report.store';

@Controller()
export class CertificationController {
  constructor(private readonly reports: CertificationReportStore) {}

  @HandleRpc(catalogContracts.showCertification)
  async show({ certificationId }: ShowCertificationRequest): Promise<CertificationReport> {
    const report = await this.reports.find(certificationId);
    if (!report) {
      throw notFound('There is no certification of this id.', 'certificationId');
    }
    return report;
  }
}
