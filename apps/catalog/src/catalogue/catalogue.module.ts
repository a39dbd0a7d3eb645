import { Module } from '@nestjs/common';
import { EndpointPermission } from '../endpoint/endpoint-permission';
import { CatalogueController } from './catalogue.controller';
import { CatalogueService } from './catalogue.service';
import { CatalogueStore } from './catalogue.store';

/** What operators define: models, bundles, profiles; routing models and managed vendors. */
@Module({
  controllers: [CatalogueController],
  providers: [CatalogueService, CatalogueStore, EndpointPermission],
})
export class CatalogueModule {}
