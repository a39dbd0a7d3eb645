import { spawnSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { findOnPath } from './binaries';

/** The account PostgreSQL runs as when the caller is root: "nobody", which needs no entry in any user table. */
const unprivilegedId = 65_534;

/** How to start a program so that PostgreSQL accepts the account it runs under. */
export interface PostgresAccount {
  /** Put before the command and its arguments. */
  prefix: readonly string[];
  uid?: number;
  gid?: number;
  /** Gives a file or folder to that account. */
  own(path: string): void;
}

/**
 * PostgreSQL refuses to run as root. For root this is another user id, with nothing changed outside the folders given
 * to it. Where that id cannot reach the clone (say, below /root), `setpriv` lets it pass directories it may not
 * otherwise enter.
 * @param binary PostgreSQL's server, which that account must be able to start
 * @param dataDir the directory, already there, that will hold its cluster
 * @throws Error in one line when neither way works.
 */
export function postgresAccount(binary: string, dataDir: string): PostgresAccount {
  if (process.getuid?.() !== 0) return { prefix: [], own: () => undefined };
  const own = (path: string): void => {
    chownSync(path, unprivilegedId, unprivilegedId);
  };
  const ids = { uid: unprivilegedId, gid: unprivilegedId };
  // What PostgreSQL does: enter the data directory's folder and start the binary.
  const probe = ['/bin/sh', '-c', 'cd "$1" && exec "$0" --version', binary, dataDir];
  if (starts(probe, ids)) return { prefix: [], ...ids, own };
  const prefix = setprivPrefix();
  if (prefix !== undefined && starts([...prefix, ...probe], {})) return { prefix, own };
  throw new Error(
    `PostgreSQL refuses to run as root, and user id ${unprivilegedId} cannot reach ${binary} and ${dataDir}: start as another user, move the clone out of the private folder, or set DATABASE_URL.`,
  );
}

function setprivPrefix(): readonly string[] | undefined {
  const setpriv = findOnPath('setpriv');
  if (setpriv === undefined) return undefined;
  const id = String(unprivilegedId);
  const identity = ['--reuid', id, '--regid', id, '--clear-groups'];
  const capability = ['--inh-caps', '+dac_override', '--ambient-caps', '+dac_override'];
  // PostgreSQL looks for its own binary with access(2), which disregards capabilities of other users without this bit.
  return [setpriv, ...identity, ...capability, '--securebits', '+no_setuid_fixup', '--'];
}

function starts(command: readonly string[], ids: { uid?: number; gid?: number }): boolean {
  const [program = '', ...args] = command;
  const result = spawnSync(program, args, { ...ids, stdio: 'ignore', timeout: 10_000 });
  return result.status === 0;
}
