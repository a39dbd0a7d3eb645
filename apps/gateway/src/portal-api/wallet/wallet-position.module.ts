import { Module } from '@nestjs/common';
import { WalletPositionController } from './wallet-position.controller';
import { WalletPositionService } from './wallet-position.service';

@Module({
  controllers: [WalletPositionController],
  providers: [WalletPositionService],
  exports: [WalletPositionService],
})
export class WalletPositionModule {}
