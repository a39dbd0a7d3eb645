import { Controller } from '@nestjs/common';
import { catalogContracts } from '@svc/contracts';
import type { AppliedCatalogue, ApplyCatalogueRequest, ShownCatalogue } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { CatalogueService } from './catalogue.service';

@Controller()
export class CatalogueController {
  constructor(private readonly catalogue: CatalogueService) {}

  @HandleRpc(catalogContracts.applyCatalogue)
  apply(request: ApplyCatalogueRequest): Promise<AppliedCatalogue> {
    return this.catalogue.apply(request);
  }

  @HandleRpc(catalogContracts.showCatalogue)
  show(): Promise<ShownCatalogue> {
    return this.catalogue.show();
  }
}
