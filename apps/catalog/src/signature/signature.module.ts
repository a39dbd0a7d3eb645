import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { ContractWallets } from '@svc/contracts-evm';
import { supplyDomain } from '@svc/supply-messages';
import { getAddress } from 'ethers';
import type { CatalogConfig } from '../catalog.config';
import { SignatureService } from './signature.service';
import { SUPPLY_DOMAIN } from './tokens';

/** Who signed what. Global. */
@Module({})
export class SignatureModule {
  static forService(config: CatalogConfig): DynamicModule {
    const contract = getAddress(config.chainSettlementAddress.toLowerCase());
    const domain = supplyDomain(config.chainId, contract);
    const chain = { rpcUrl: config.chainRpcUrl, chainId: config.chainId };
    return {
      module: SignatureModule,
      global: true,
      providers: [
        { provide: SUPPLY_DOMAIN, useValue: domain },
        { provide: ContractWallets, useFactory: () => new ContractWallets(chain) },
        SignatureService,
      ],
      exports: [SUPPLY_DOMAIN, SignatureService],
    };
  }
}
