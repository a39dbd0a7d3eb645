import { Controller } from '@nestjs/common';
import { catalogContracts } from '@svc/contracts';
import type {
  ListProvidersRequest,
  CatalogueOverview,
  ProviderPage,
  ShowOverviewRequest,
} from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { OverviewService } from './overview.service';

@Controller()
export class OverviewController {
  constructor(private readonly overview: OverviewService) {}

  @HandleRpc(catalogContracts.showOverview)
  show(_request: ShowOverviewRequest): Promise<CatalogueOverview> {
    return this.overview.show();
  }

  @HandleRpc(catalogContracts.listProviders)
  list(request: ListProvidersRequest): Promise<ProviderPage> {
    return this.overview.list(request);
  }
}
