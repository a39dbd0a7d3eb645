import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, StringCodec } from 'nats';
import type { NatsConnection, NatsError } from 'nats';
import { forEachNatsUser, freePort, natsPasswords, startNats } from '@svc/local-servers';
import type { LocalServer } from '@svc/local-servers';
import { eventually } from './eventually';

const codec = StringCodec();
const shipped = readFileSync(join(__dirname, '../../../deploy/nats/nats.conf'), 'utf8');
const connections: NatsConnection[] = [];
let server: LocalServer;
let directory: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'svc-nats-'));
  writeFileSync(configFile(), shipped);
  const env = natsPasswords(forEachNatsUser(() => 'first'));
  server = await startNats({ dataDir: directory, port: await freePort(), configFile: configFile(), env });
});

afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  await server.stop();
  rmSync(directory, { recursive: true });
});

function configFile(): string {
  return join(directory, 'nats.conf');
}

function reload(configuration: string): void {
  writeFileSync(configFile(), configuration);
  process.kill(server.pid, 'SIGHUP');
}

/** What closes is not opened again: a connection that is open at the end was open all the time. */
async function connectAs(user: string, pass: string, inboxPrefix: string): Promise<NatsConnection> {
  const connection = await connect({ servers: server.url, user, pass, inboxPrefix, reconnect: false });
  connections.push(connection);
  return connection;
}

function serve(connection: NatsConnection, subject: string, answer: string): Promise<void> {
  connection.subscribe(subject, {
    queue: 'billing',
    callback: (_error, message) => void message.respond(codec.encode(answer)),
  });
  return connection.flush();
}

function blockOf(user: string): string {
  const [block] = new RegExp(`^ {4}\\{\\n {6}user: ${user}\\n[^]*?^ {4}\\}\\n`, 'm').exec(shipped) ?? [];
  if (block === undefined) throw new Error(`nats.conf has no user ${user}`);
  return block;
}

/** As docs/deployment.md has it under "Replacing a secret". */
describe('a service’s NATS password is replaced', () => {
  it.each([
    ['as it is', 'second', 'second'],
    ['by its bcrypt hash', 'second', '$2a$04$SnJV56wrn15mACjlpUppzO4U44DvX4Vy0XA.Lr06FnQmUJ4iK5x6a'],
  ])('by a second user beside the first, its password %s', async (_form, pass, stored) => {
    const subject = 'billing.v1.hold.admit';
    const asking = await connectAs('gateway', 'first', '_INBOX.gateway');
    const former = await connectAs('billing', 'first', '_INBOX.billing');
    await serve(former, subject, 'former');
    const ask = async () =>
      codec.decode((await asking.request(subject, undefined, { timeout: 30_000 })).data);

    const block = blockOf('billing');
    const second = block
      .replace('user: billing', 'user: billing-2')
      .replace(/password: .*/, () => `password: "${stored}"`);
    reload(shipped.replace(block, () => block + second));
    const later = await eventually(() => connectAs('billing-2', pass, '_INBOX.billing'));
    await serve(later, subject, 'later');
    expect(former.isClosed()).toBe(false);
    await eventually(async () => (await ask()) === 'former');
    await eventually(async () => (await ask()) === 'later');
    // Its rights are the first's, and no more.
    const refused = new Promise<NatsError | null>((resolve) => {
      later.subscribe('_INBOX.gateway.>', { callback: (error) => resolve(error) });
    });
    expect((await refused)?.code).toBe('PERMISSIONS_VIOLATION');

    reload(shipped.replace(block, () => second));
    await former.closed();
    expect(await ask()).toBe('later');
    await expect(connectAs('billing', 'first', '_INBOX.billing')).rejects.toMatchObject({
      code: 'AUTHORIZATION_VIOLATION',
    });
    expect([later.isClosed(), asking.isClosed()]).toEqual([false, false]);
  });
});
