import { Env, ServiceConfig } from '@svc/config';
import { IsInt, IsString, Matches, Max, Min } from 'class-validator';

export class CatalogConfig extends ServiceConfig {
  /** The catalogue's own role: it reaches the schema `catalog` and nothing else. */
  @Env('DATABASE_URL')
  @IsString()
  @Matches(/^postgres(ql)?:\/\//, { message: 'must be a postgresql:// URL' })
  databaseUrl!: string;

  /** How often the published views are held against the tables though nothing changed. */
  @Env('CATALOG_REPUBLISH_MS')
  @IsInt()
  @Min(100)
  @Max(3_600_000)
  republishMs: number = 30_000;
}
