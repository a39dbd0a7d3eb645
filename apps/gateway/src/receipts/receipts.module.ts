import { Module } from '@nestjs/common';
import { KeysModule } from '../keys/keys.module';
import { ReceiptsController } from './receipts.controller';
import { ReceiptsService } from './receipts.service';

@Module({ imports: [KeysModule], controllers: [ReceiptsController], providers: [ReceiptsService] })
export class ReceiptsModule {}
