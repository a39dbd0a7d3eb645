import { Controller } from '@nestjs/common';
import { catalogContracts } from '@svc/contracts';
import type { ShowMarketRequest, ShownMarket } from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { MarketService } from './market.service';

@Controller()
export class MarketController {
  constructor(private readonly market: MarketService) {}

  @HandleRpc(catalogContracts.showMarket)
  show(request: ShowMarketRequest): Promise<ShownMarket> {
    return this.market.show(request);
  }
}
