import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import { catalogContracts } from '@svc/contracts';
import type { CertificationStatus } from '@svc/contracts';
import { notFound } from '@svc/errors';
import { ErrorResponse } from '@svc/openai-api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CATALOG_ID } from '../../fields/catalog-id';
import { RefusedReads } from '../../fields/refusals';
import { entityTagOf } from '../../http/entity-tag';
import { safeJson } from '../../http/safe-json';
import { sendRepresentation } from '../../http/representation';
import { AddressThrottlerGuard } from '../../http/limits/address-throttler.guard';
import { ServiceClient } from '../../messaging/service-client';
import { CertificationReportReply } from './certification-report.dto';
import { reportCard } from './report-card';

const UNDER_WAY: ReadonlySet<CertificationStatus> = new Set(['queued', 'running']);
/** A report that is finished does not change, but may be taken down. */
const CACHE_CONTROL = 'public, max-age=300';

/** The evidence for what the market says of its offers; public. */
@ApiTags('Supply')
@UseGuards(AddressThrottlerGuard)
@Controller('v1/certifications')
export class CertificationsController {
  constructor(private readonly catalog: ServiceClient) {}

  @Get(':id')
  @ApiOperation({
    summary: 'Shows the report of a certification',
    operationId: 'showCertification',
    description:
      'Every probe with what was asked and what came back. While it runs, how far it is; a finished report has an ETag.',
  })
  @ApiParam({ name: 'id', type: String, description: 'As `certification_id` of a model or an offer says.' })
  @ApiHeader({ name: 'If-None-Match', required: false, description: 'An ETag; 304 when it is that report.' })
  @ApiOkResponse({ type: CertificationReportReply })
  @ApiResponse({ status: 304, description: 'What `If-None-Match` names is that report.' })
  @ApiResponse({ status: 404, type: ErrorResponse, description: '`invalid_request`: no such certification' })
  @RefusedReads()
  async show(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (!CATALOG_ID.test(id)) throw notFound('There is no such certification.', 'id');
    const names = { certificationId: 'id' };
    const asked = { certificationId: id };
    const report = await this.catalog.call(catalogContracts.showCertification, asked, request.id, names);
    const body = Buffer.from(safeJson(reportCard(report)));
    if (UNDER_WAY.has(report.status)) {
      sendRepresentation(request, reply, { body, cacheControl: 'no-store' });
      return;
    }
    sendRepresentation(request, reply, { body, etag: entityTagOf(body), cacheControl: CACHE_CONTROL });
  }
}
