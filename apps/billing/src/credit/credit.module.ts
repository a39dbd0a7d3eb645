import { Module } from '@nestjs/common';
import { CreditController } from './credit.controller';
import { CreditService } from './credit.service';
import { CreditStore } from './credit.store';

/** What operators give back: refunds of requests, credits to wallets. */
@Module({ controllers: [CreditController], providers: [CreditService, CreditStore] })
export class CreditModule {}
