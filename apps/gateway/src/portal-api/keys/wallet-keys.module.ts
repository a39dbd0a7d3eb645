import { Module } from '@nestjs/common';
import { WalletKeysController } from './wallet-keys.controller';
import { WalletKeysService } from './wallet-keys.service';

@Module({ controllers: [WalletKeysController], providers: [WalletKeysService] })
export class WalletKeysModule {}
