import { Module } from '@nestjs/common';
import { PortalConfigController } from './portal-config.controller';

@Module({ controllers: [PortalConfigController] })
export class SiteModule {}
