import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forEachNatsUser, freePort, natsPasswords, startNats } from '@svc/local-servers';
import type { LocalServer, NatsUser } from '@svc/local-servers';
import { connectMessaging } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { connect } from 'nats';

const password = 'secret';
/** Whoever looks after the server itself: may do everything. */
const KEEPER = 'keeper';

/**
 * A NATS server of one spec's own, with the users of deploy/nats/nats.conf: for specs that write buckets or streams, whose names
 * are the same for everybody, and for those that stop the server.
 */
export class PrivateNats {
  private readonly connections: Messaging[] = [];

  private constructor(
    private readonly directory: string,
    private readonly port: number,
    private server: LocalServer,
  ) {}

  static async start(): Promise<PrivateNats> {
    const directory = mkdtempSync(join(tmpdir(), 'svc-nats-'));
    const port = await freePort();
    return new PrivateNats(directory, port, await launch(directory, port));
  }

  /** Where it listens. */
  get url(): string {
    return this.server.url;
  }

  /** Every user's. */
  get password(): string {
    return password;
  }

  /** Connects as one of the services, with that service's rights; closed with this. */
  async connectAs(user: NatsUser): Promise<Messaging> {
    const options = { natsUrl: this.server.url, natsUser: user, natsPassword: password };
    const messaging = await connectMessaging(user, options);
    this.connections.push(messaging);
    return messaging;
  }

  /** For processes that connect by themselves; the password is every user's. */
  get access(): { url: string; password: string } {
    return { url: this.server.url, password };
  }

  /** Stops the server; who is connected stays and waits. */
  async stop(): Promise<void> {
    await this.server.stop();
  }

  /** The process stands still, or goes on: its system takes connections for it meanwhile. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(this.server.pid, signal);
  }

  /** Starts it again at the same address. @param options.storageLost without anything it had stored */
  async startAgain(options: { storageLost?: boolean } = {}): Promise<void> {
    if (options.storageLost) rmSync(this.directory, { recursive: true, force: true });
    this.server = await launch(this.directory, this.port);
  }

  /** As an operator does, with everybody connected. */
  async removeStream(name: string): Promise<void> {
    const connection = await connect({ servers: this.server.url, user: KEEPER, pass: password });
    await (await connection.jetstreamManager()).streams.delete(name);
    await connection.close();
  }

  /** Closes every connection, stops the server, removes what it stored. */
  async close(): Promise<void> {
    await Promise.all(this.connections.map(({ connection }) => connection.close()));
    await this.server.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function launch(dataDir: string, port: number): Promise<LocalServer> {
  mkdirSync(dataDir, { recursive: true });
  const configFile = join(dataDir, 'nats.conf');
  const keeper = `{ user: ${KEEPER}, password: ${password} }`;
  const ours = readFileSync(join(__dirname, '../../../deploy/nats/nats.conf'), 'utf8');
  writeFileSync(configFile, ours.replace('users: [', `users: [ ${keeper}`));
  return startNats({ dataDir, port, configFile, env: natsPasswords(forEachNatsUser(() => password)) });
}
