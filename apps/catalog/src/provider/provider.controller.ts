import { Controller } from '@nestjs/common';
import { catalogContracts } from '@svc/contracts';
import type {
  IdentifyProviderRequest,
  ProviderStatus,
  RegisterProviderRequest,
  ShowProviderRequest,
} from '@svc/contracts';
import { HandleRpc } from '@svc/messaging';
import { ProviderService } from './provider.service';

@Controller()
export class ProviderController {
  constructor(private readonly providers: ProviderService) {}

  @HandleRpc(catalogContracts.registerProvider)
  register(request: RegisterProviderRequest): Promise<ProviderStatus> {
    return this.providers.register(request);
  }

  @HandleRpc(catalogContracts.showProvider)
  show(request: ShowProviderRequest): Promise<ProviderStatus> {
    return this.providers.show(request);
  }

  // By the signature alone.
  @HandleRpc(catalogContracts.identifyProvider, { whilePaused: true })
  identify(request: IdentifyProviderRequest): Promise<{ provider: string }> {
    return this.providers.identify(request);
  }
}
