import { Module } from '@nestjs/common';
import { CatalogueController } from './catalogue.controller';
import { CatalogueService } from './catalogue.service';
import { CatalogueStore } from './catalogue.store';

/** What operators define: models, bundles, profiles. */
@Module({ controllers: [CatalogueController], providers: [CatalogueService, CatalogueStore] })
export class CatalogueModule {}
