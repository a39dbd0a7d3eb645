import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A migration as it lies in the repository. */
export interface MigrationFile {
  /** The folder's name, `<timestamp>_<words>`; also the order. */
  name: string;
  sql: string;
  /** SHA-256 of the file's bytes, in hex, as Prisma computes it. */
  checksum: string;
}

/** `prisma/migrations` of this clone. Both `src/` and `dist/` of this library lie equally deep below its root. */
export const defaultMigrationsFolder = join(__dirname, '..', '..', '..', '..', 'prisma', 'migrations');

/** The migrations of a folder, oldest first. */
export function readMigrations(folder = defaultMigrationsFolder): MigrationFile[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const bytes = readFileSync(join(folder, name, 'migration.sql'));
      const checksum = createHash('sha256').update(bytes).digest('hex');
      return { name, sql: bytes.toString('utf8'), checksum };
    });
}
