import { Module } from '@nestjs/common';
import { AuditController } from './audit.controller';
import { AuditStore } from './audit.store';

/** Who did what to wallets and to settlement. */
@Module({ controllers: [AuditController], providers: [AuditStore] })
export class AuditModule {}
