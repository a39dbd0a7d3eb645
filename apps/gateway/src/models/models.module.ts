import { Module } from '@nestjs/common';
import { ModelCatalog } from './model-catalog';
import { ModelsController } from './models.controller';

@Module({ controllers: [ModelsController], providers: [ModelCatalog], exports: [ModelCatalog] })
export class ModelsModule {}
