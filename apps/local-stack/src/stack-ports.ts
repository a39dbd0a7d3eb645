import { readFileSync, writeFileSync } from 'node:fs';
import type { EnvironmentName } from '@svc/environment';
import { freePort } from '@svc/local-servers';

/** Where each process listens if nobody else does; another free port if somebody does. */
const usualPorts: Readonly<Record<string, number>> = {
  gateway: 8080,
  catalog: 8081,
  cortex: 8082,
  dispatch: 8083,
  billing: 8084,
  nats: 4222,
  postgres: 5432,
  chain: 8545,
  'provider-demo-1': 9101,
  'provider-demo-2': 9102,
  'provider-upstream': 9110,
  'vendor-demo': 9120,
};

/** Added to the usual ports, so that both environments can run beside each other where one expects them. */
const portShift: Readonly<Record<EnvironmentName, number>> = { testnet: 0, production: 10_000 };

/** Chosen once per start, kept through restarts of a single process. */
export class StackPorts {
  private readonly chosen = new Map<string, Promise<number>>();
  private readonly kept: Record<string, number>;

  /** @param file where nodes' ports are kept: with another, an offer would have to be certified anew, and a vendor redefined */
  constructor(
    private readonly file: string,
    private readonly environment: EnvironmentName,
  ) {
    this.kept = readKept(file);
  }

  /** The port of a process, by its name; without a usual one, any free port. */
  of(name: string): Promise<number> {
    let port = this.chosen.get(name);
    if (port === undefined) {
      port = this.choose(name);
      this.chosen.set(name, port);
    }
    return port;
  }

  private async choose(name: string): Promise<number> {
    const port = await freePort(this.kept[name] ?? this.usual(name));
    if (/^(provider|vendor)-/.test(name) && this.kept[name] !== port) {
      this.kept[name] = port;
      writeFileSync(this.file, `${JSON.stringify(this.kept, null, 2)}\n`);
    }
    return port;
  }

  private usual(name: string): number | undefined {
    const port = usualPorts[name];
    return port === undefined ? undefined : port + portShift[this.environment];
  }
}

/** Empty when there is none, or none that can be read. */
function readKept(file: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
  } catch {
    return {};
  }
}
