import { Module } from '@nestjs/common';
import { CreditController } from './credit.controller';
import { CreditService } from './credit.service';
import { CreditStore } from './credit.store';

@Module({ controllers: [CreditController], providers: [CreditService, CreditStore] })
export class CreditModule {}
