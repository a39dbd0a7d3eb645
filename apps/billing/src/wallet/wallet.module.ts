import { Module } from '@nestjs/common';
import { ChainModule } from '../chain/chain.module';
import { WalletController } from './wallet.controller';
import { WalletListService } from './wallet-list.service';
import { WalletListStore } from './wallet-list.store';
import { WalletService } from './wallet.service';
import { WalletStore } from './wallet.store';

/** Wallets: made known, shown, suspended. */
@Module({
  imports: [ChainModule],
  controllers: [WalletController],
  providers: [WalletListService, WalletListStore, WalletService, WalletStore],
})
export class WalletModule {}
