import { TcpLink, createTestDatabase, eventually } from '@svc/testing';
import type { TestDatabase } from '@svc/testing';
import { Client } from 'pg';
import { awaitDatabase } from './await-database';
import { readMigrations } from './migration/migration-files';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function urlWith(change: Partial<Pick<URL, 'username' | 'password' | 'pathname' | 'port'>>): string {
  return Object.assign(new URL(database.billingUrl), change).href;
}

const nobody = () => undefined;

async function asAdmin(sql: string): Promise<void> {
  const client = new Client({ connectionString: database.adminUrl });
  await client.connect();
  await client.query(sql);
  await client.end();
}

describe('awaitDatabase', () => {
  it.each([
    ['password', { password: 'wrong' }, 'password authentication failed for user "svc_billing"'],
    ['role', { username: 'nobody' }, 'password authentication failed for user "nobody"'],
    ['database', { pathname: '/none' }, 'database "none" does not exist'],
  ])('refuses a database for another %s', async (_, change, reason) => {
    const refusal = `DATABASE_URL does not fit: ${reason}`;
    await expect(awaitDatabase(urlWith(change), 'billing', nobody)).rejects.toThrow(refusal);
  });

  it('refuses one that the role may not connect to', async () => {
    await asAdmin(`REVOKE CONNECT ON DATABASE ${database.name} FROM svc_catalog`);
    const refusal = `DATABASE_URL does not fit: permission denied for database "${database.name}"`;
    await expect(awaitDatabase(database.catalogUrl, 'catalog', nobody)).rejects.toThrow(refusal);
  });

  it('refuses one with the role of another service', async () => {
    const refusal = 'DATABASE_URL does not fit: permission denied for schema catalog';
    await expect(awaitDatabase(database.billingUrl, 'catalog', nobody)).rejects.toThrow(refusal);
  });

  it('refuses one with the superuser or whoever owns the schema, and takes another role of its own rights', async () => {
    const owner = `owner_of_${database.name}`;
    await asAdmin(`CREATE ROLE ${owner} LOGIN PASSWORD 'owner' ROLE CURRENT_USER IN ROLE svc_billing`);
    await asAdmin(`GRANT CONNECT ON DATABASE ${database.name} TO ${owner}`);
    await awaitDatabase(urlWith({ username: owner, password: 'owner' }), 'billing', nobody);
    const words = (role: string) =>
      `DATABASE_URL does not fit: the role "${role}" may do anything in the schema billing; a service takes svc_billing, which setup migrate makes`;
    await expect(awaitDatabase(database.adminUrl, 'billing', nobody)).rejects.toThrow(
      words(new URL(database.adminUrl).username),
    );
    await asAdmin(`ALTER SCHEMA billing OWNER TO ${owner}`);
    await expect(
      awaitDatabase(urlWith({ username: owner, password: 'owner' }), 'billing', nobody),
    ).rejects.toThrow(words(owner));
    await asAdmin(`ALTER SCHEMA billing OWNER TO CURRENT_USER`);
    await asAdmin(`DROP OWNED BY ${owner}`);
    await asAdmin(`DROP ROLE ${owner}`);
  });

  it.each([
    [
      'lacks its last migration',
      'UPDATE public._prisma_migrations SET finished_at = NULL WHERE migration_name = (SELECT max(migration_name) FROM public._prisma_migrations)',
      'UPDATE public._prisma_migrations SET finished_at = now() WHERE finished_at IS NULL',
      () => readMigrations().at(-1)?.name,
    ],
    [
      'is older than what tells its migrations',
      'ALTER FUNCTION billing.applied_migrations RENAME TO former',
      'ALTER FUNCTION billing.former RENAME TO applied_migrations',
      () => readMigrations()[0]?.name,
    ],
    [
      'has none',
      'ALTER SCHEMA billing RENAME TO former',
      'ALTER SCHEMA former RENAME TO billing',
      () => readMigrations()[0]?.name,
    ],
  ])('waits for one that %s, and says so once', async (_, undo, redo, missing) => {
    await asAdmin(undo);
    const told = jest.fn();
    const waiting = awaitDatabase(database.billingUrl, 'billing', told);
    await eventually(() => told.mock.calls.length > 0);
    const reason = `migration ${missing()} was not applied: run setup migrate`;
    expect(told.mock.calls).toEqual([[expect.objectContaining({ message: reason })]]);
    await asAdmin(redo);
    await waiting;
    expect(told).toHaveBeenCalledTimes(1);
  });

  it('takes one of a later version', async () => {
    await asAdmin(
      `INSERT INTO public._prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', '', '2999_x', now())`,
    );
    await awaitDatabase(database.billingUrl, 'billing', nobody);
  });

  it('takes the right one', async () => {
    const told = jest.fn();
    await awaitDatabase(database.billingUrl, 'billing', told);
    expect(told).not.toHaveBeenCalled();
  });

  it('waits for one that does not answer, and says so once', async () => {
    const former = await TcpLink.open(database.billingUrl);
    const { port } = former;
    await former.close();
    const told = jest.fn();
    let isThere = false;
    const waiting = awaitDatabase(urlWith({ port: String(port) }), 'billing', told).then(
      () => (isThere = true),
    );
    await eventually(() => told.mock.calls.length > 0);
    expect(isThere).toBe(false);
    const link = await TcpLink.open(database.billingUrl, port);
    await waiting;
    expect(told).toHaveBeenCalledTimes(1);
    await link.close();
  });
});
