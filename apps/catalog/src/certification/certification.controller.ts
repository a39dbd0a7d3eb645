import { Controller } from '@nestjs/common';
import { catalogContracts } from '@svc/contracts';
import type { CertificationReport, ShowCertificationRequest } from '@svc/contracts';
import { invalidRequest } from '@svc/errors';
import { HandleRpc } from '@svc/messaging';
import { CertificationReportStore } from './certification-report.store';

const NOT_FOUND = 404;

@Controller()
export class CertificationController {
  constructor(private readonly reports: CertificationReportStore) {}

  @HandleRpc(catalogContracts.showCertification)
  async show({ certificationId }: ShowCertificationRequest): Promise<CertificationReport> {
    const report = await this.reports.find(certificationId);
    if (!report) {
      throw invalidRequest('There is no certification of this id.', 'certificationId', NOT_FOUND);
    }
    return report;
  }
}
