import { Places } from './places';

/**
 * Offers may live at one server: what measures how much it holds takes turns there, so that no offer is judged by what is asked for
 * another. Servers do not wait for each other.
 */
export class CapacityTurns {
  private readonly servers = new Map<string, { places: Places; users: number }>();

  /** @param endpoint those at the same scheme, host and port take turns */
  async take<T>(endpoint: string, work: () => Promise<T>): Promise<T> {
    const origin = URL.canParse(endpoint) ? new URL(endpoint).origin : endpoint;
    const server = this.servers.get(origin) ?? { places: new Places(1), users: 0 };
    this.servers.set(origin, server);
    server.users++;
    try {
      return await server.places.take(work);
    } finally {
      if (--server.users === 0) this.servers.delete(origin);
    }
  }
}
