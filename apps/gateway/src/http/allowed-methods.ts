import type { FastifyInstance } from 'fastify';

/** Knows which methods each path takes, so that a wrong method is told from an unknown path. */
export class AllowedMethods {
  private readonly methodsOfPath = new Map<string, Set<string>>();
  private readonly methodsOfPrefix = new Map<string, Set<string>>();

  /** Must be called before routes are made. */
  follow(instance: FastifyInstance): void {
    instance.addHook('onRoute', ({ url, method }) => {
      // Routes with a parameter have it at their end, and any value of it is one path.
      const open = url.search(/[*:]/);
      const [map, key] = open < 0 ? [this.methodsOfPath, url] : [this.methodsOfPrefix, url.slice(0, open)];
      const methods = map.get(key) ?? new Set<string>();
      for (const one of [method].flat()) methods.add(one);
      map.set(key, methods);
    });
  }

  /**
   * @param url as it came, with its query
   * @returns for the `Allow` header; undefined when nothing is at the path
   */
  of(url: string): string | undefined {
    const path = url.split('?', 1)[0] ?? '';
    const methods = new Set(this.methodsOfPath.get(path));
    for (const [prefix, some] of this.methodsOfPrefix) {
      if (path.startsWith(prefix) && path.length > prefix.length) for (const one of some) methods.add(one);
    }
    return methods.size > 0 ? [...methods].sort().join(', ') : undefined;
  }
}
