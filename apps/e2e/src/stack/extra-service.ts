import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { credentialPublicKeyOf } from '@svc/credential-seal';
import { freePort, workspaceRoot } from '@svc/local-servers';
import type { Ready } from '@svc/local-servers';
import { eventually } from '@svc/testing';
import { QUEUE_PATIENCE_MS } from './launch';

interface Secrets {
  nats: Record<string, string>;
  keyPepper: string;
  responseKey: string;
  credentialKey: string;
}

/** Another process of a service, beside the one that `npm start` runs: a replica, as on a second machine. */
export class ExtraService {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  /** Resolves when it is ready. @param graceMs how long it may take to stop */
  static async start(ready: Ready, service: 'gateway' | 'dispatch', graceMs = 1_000): Promise<ExtraService> {
    const port = await freePort();
    const secrets = readSecrets();
    const child = spawn(process.execPath, [join(workspaceRoot, `apps/${service}/dist/main.js`)], {
      cwd: workspaceRoot,
      env: {
        PATH: process.env.PATH,
        SVC_ENVIRONMENT: ready.environment,
        SHUTDOWN_GRACE_MS: String(graceMs),
        // Who was told that it is ready may stand still before coming.
        SHUTDOWN_LEAVE_MS: String(graceMs / 2),
        LOG_LEVEL: 'error',
        HTTP_PORT: String(port),
        NATS_URL: `nats://${new URL(ready.natsUrl).host}`,
        NATS_USER: service,
        NATS_PASSWORD: secrets.nats[service],
        RESPONSE_KEY: secrets.responseKey,
        CREDENTIAL_KEY: secrets.credentialKey,
        CREDENTIAL_PUBLIC_KEY: credentialPublicKeyOf(secrets.credentialKey),
        KEY_PEPPER: secrets.keyPepper,
        PROVIDER_ALLOWED_NETWORKS: '127.0.0.0/8',
        QUEUE_PATIENCE_MS,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const url = `http://127.0.0.1:${port}`;
    const isReady = () =>
      fetch(`${url}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually(isReady, { timeoutMs: 60_000 });
    return new ExtraService(url, child);
  }

  /** Ends it at once, without a goodbye. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  /** @returns the value of a metric without labels of its own */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill(signal);
    await ended;
  }
}

function readSecrets(): Secrets {
  const file = join(dirname(process.env.SVC_E2E_READY ?? ''), 'secrets.json');
  return JSON.parse(readFileSync(file, 'utf8')) as Secrets;
}
