import { Module } from '@nestjs/common';
import { ContractWallets } from '@svc/contracts-evm';
import { BillingConfig } from '../billing.config';
import { SignatureController } from './signature.controller';
import { SignatureService } from './signature.service';

/** Who signed what; asked when somebody signs in to the portal. */
@Module({
  controllers: [SignatureController],
  providers: [
    {
      provide: ContractWallets,
      inject: [BillingConfig],
      useFactory: ({ chainRpcUrl, chainId }: BillingConfig) =>
        new ContractWallets({ rpcUrl: chainRpcUrl, chainId }),
    },
    SignatureService,
  ],
})
export class SignatureModule {}
