import { freePort } from '@svc/local-servers';

/** Where each process listens if nobody else does; another free port if somebody does. */
const usualPorts = {
  gateway: 8080,
  catalog: 8081,
  cortex: 8082,
  dispatch: 8083,
  billing: 8084,
  nats: 4222,
  postgres: 5432,
  chain: 8545,
};

/** Chosen once per start, kept through restarts of a single process. */
export class StackPorts {
  private readonly chosen = new Map<string, Promise<number>>();

  /** The port of a process, by its name; without a usual one, any free port. */
  of(name: string): Promise<number> {
    let port = this.chosen.get(name);
    if (port === undefined) {
      port = freePort(usualPorts[name as keyof typeof usualPorts]);
      this.chosen.set(name, port);
    }
    return port;
  }
}
