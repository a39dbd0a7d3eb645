import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { billingContracts, catalogContracts } from '@svc/contracts';
import type { CatalogueOverview } from '@svc/contracts';
import type { FastifyRequest } from 'fastify';
import { isAway } from '../../messaging/is-away';
import { ServiceClient } from '../../messaging/service-client';
import { OperatorsOnly } from './operators-only';
import { OperatorOverviewReply } from './overview.dto';
import type { CatalogueOverviewReply } from './overview.dto';
import { settlementCard } from './settlement-card';

@OperatorsOnly()
@Controller('portal/api/operators/overview')
export class OverviewController {
  constructor(private readonly services: ServiceClient) {}

  @Get()
  @ApiOperation({ summary: 'Shows how the marketplace stands', operationId: 'showOperatorOverview' })
  @ApiOkResponse({ type: OperatorOverviewReply })
  async show(@Req() { id }: FastifyRequest): Promise<OperatorOverviewReply> {
    const [catalogue, settlement] = await Promise.all([
      unlessAway(this.services.call(catalogContracts.showOverview, {}, id)),
      unlessAway(this.services.call(billingContracts.showSettlement, {}, id)),
    ]);
    return {
      catalogue: catalogue && catalogueCard(catalogue),
      settlement: settlement && settlementCard(settlement),
    };
  }
}

async function unlessAway<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isAway(error)) return null;
    throw error;
  }
}

function catalogueCard(overview: CatalogueOverview): CatalogueOverviewReply {
  return {
    models: overview.models,
    providers: overview.providers,
    suspended_providers: overview.suspendedProviders,
    offers: overview.offers,
    live_offers: overview.liveOffers,
    open_certifications: overview.openCertifications,
  };
}
