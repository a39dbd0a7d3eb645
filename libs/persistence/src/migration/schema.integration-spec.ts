import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase } from '@svc/testing';
import { Client } from 'pg';

/** `schema.table.column`, with `?` where there may be none, as prisma/schema.prisma has them. */
function declaredColumns(): string[] {
  const text = readFileSync(join(__dirname, '../../../../prisma/schema.prisma'), 'utf8');
  const models = [...text.matchAll(/^model (\w+) \{\n([^]*?)^\}/gm)];
  const relations = new Set(models.map(([, name]) => name));
  return models.flatMap(([, , body = '']) => {
    const table = `${/@@schema\("(\w+)"\)/.exec(body)?.[1]}.${/@@map\("(\w+)"\)/.exec(body)?.[1]}`;
    return [...body.matchAll(/^ {2}(\w+) +(\w+)(?:\[\])?(\??)(.*)$/gm)]
      .filter(([, , type]) => !relations.has(type))
      .map(
        ([, field, , optional, rest = '']) =>
          `${table}.${/@map\("(\w+)"\)/.exec(rest)?.[1] ?? field}${optional}`,
      );
  });
}

async function migratedColumns(): Promise<string[]> {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database.adminUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(`
    SELECT table_schema || '.' || table_name || '.' || column_name || CASE is_nullable WHEN 'YES' THEN '?' ELSE '' END AS name
    FROM information_schema.columns WHERE table_schema IN ('catalog', 'billing')`);
  await client.end();
  await database.drop();
  return rows.map(({ name }) => name);
}

it('prisma/schema.prisma has the columns that the migrations make', async () => {
  expect(declaredColumns().sort()).toEqual((await migratedColumns()).sort());
});
