import { Module } from '@nestjs/common';
import { ChainModule } from '../chain/chain.module';
import { WalletController } from './wallet.controller';
import { WalletService } from './wallet.service';
import { WalletStore } from './wallet.store';

@Module({
  imports: [ChainModule],
  controllers: [WalletController],
  providers: [WalletService, WalletStore],
})
export class WalletModule {}
