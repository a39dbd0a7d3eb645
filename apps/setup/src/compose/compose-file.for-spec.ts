import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@svc/local-servers';
import { parse } from 'yaml';

interface ComposeService {
  image: string;
  logging?: { driver: string };
  build?: { context: string; dockerfile: string; target: string };
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  networks?: string[] | Record<string, { ipv4_address: string }>;
  volumes?: string[];
  restart?: string;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: 'service_healthy' | 'service_completed_successfully' }>;
}

interface ComposeFile {
  name: string;
  services: Record<string, ComposeService>;
  networks: Record<string, { ipam?: { config: { subnet: string }[] } } | null>;
  volumes: Record<string, null>;
}

export function readWorkspaceFile(path: string): string {
  return readFileSync(join(workspaceRoot, path), 'utf8');
}

/** The Compose file with anchors and merges resolved, variables as they stand. */
export function readComposeFile(): ComposeFile {
  return parse(readWorkspaceFile('docker-compose.yml'), { merge: true }) as ComposeFile;
}

/** `.env.example` as Compose reads it: `NAME=value` a line, comments and blank lines left out. */
export function readExampleEnvironment(): Record<string, string> {
  const lines = readWorkspaceFile('.env.example')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([A-Z][A-Z0-9_]*)=(\S*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) throw new Error(`.env.example: not NAME=value: ${line}`);
      return [name, value];
    }),
  );
}

const VARIABLE = /\$\{([A-Z][A-Z0-9_]*)(?::([-?])([^}]*))?\}/g;

/** The variables a text takes from the environment. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(VARIABLE)].map(([, name]) => name as string);
}

/** What Compose puts for `${NAME}`, `${NAME:-default}` and `${NAME:?message}`. */
export function interpolate(text: string, environment: Record<string, string>): string {
  return text.replace(VARIABLE, (_, name: string, operator?: string, operand?: string) => {
    const value = environment[name];
    if (value) return value;
    if (operator === '-') return operand ?? '';
    throw new Error(`${name} is not set: ${operand ?? 'no default'}`);
  });
}

/** A service's environment as its container sees it. */
export function environmentOf(service: ComposeService, environment: Record<string, string>) {
  const given = Object.entries(service.environment ?? {});
  return Object.fromEntries(given.map(([name, value]) => [name, interpolate(value, environment)]));
}

/** The app a service runs, from `apps/<app>/dist/main.js`; undefined for those with an image of their own. */
export function appOf(service: ComposeService): string | undefined {
  return /^apps\/([a-z-]+)\/dist\/main\.js$/.exec(service.command?.[0] ?? '')?.[1];
}
