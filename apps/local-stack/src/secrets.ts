import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generateCredentialKey } from '@svc/credential-seal';
import { forEachNatsUser } from '@svc/local-servers';
import type { NatsUser } from '@svc/local-servers';

/** Values made once for this state directory. They protect nothing beyond this machine. */
export interface StackSecrets {
  /** The superuser of the local PostgreSQL. */
  databaseSuperuser: string;
  databaseBilling: string;
  databaseCatalog: string;
  nats: Record<NatsUser, string>;
  /** What API keys are hashed under. */
  keyPepper: string;
  /** What replies of idempotent requests are encrypted under. */
  responseKey: string;
  /** What opens the credentials of providers' endpoints. */
  credentialKey: string;
}

/**
 * Reads the secrets, making those that are missing; the file is for its owner only. What exists is never changed: the
 * database's cluster and the stored keys depend on it.
 */
export function ensureSecrets(file: string): StackSecrets {
  const kept = readKept(file);
  const secrets: StackSecrets = {
    databaseSuperuser: kept.databaseSuperuser ?? generate(),
    databaseBilling: kept.databaseBilling ?? generate(),
    databaseCatalog: kept.databaseCatalog ?? generate(),
    nats: forEachNatsUser((user) => kept.nats?.[user] ?? generate()),
    keyPepper: kept.keyPepper ?? generate(),
    responseKey: kept.responseKey ?? randomBytes(32).toString('base64'),
    credentialKey: kept.credentialKey ?? generateCredentialKey(),
  };
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.draft`;
  writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return secrets;
}

function readKept(file: string): Partial<StackSecrets> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<StackSecrets>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${file} is not readable: "npm run reset" starts afresh`, { cause: error });
  }
}

/** 192 bits. A letter first and hexadecimal digits: nats.conf parses a variable's value. */
function generate(): string {
  return `s${randomBytes(24).toString('hex')}`;
}
