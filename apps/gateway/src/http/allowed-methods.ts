import type { FastifyInstance } from 'fastify';
import { routedPath } from './request-path';

interface Route {
  path: RegExp;
  methods: Set<string>;
}

/** Knows which methods each path takes, so that a wrong method is told from an unknown path. */
export class AllowedMethods {
  private readonly routes = new Map<string, Route>();

  /** Must be called before routes are made. */
  follow(instance: FastifyInstance): void {
    instance.addHook('onRoute', ({ url, method, config }) => {
      if (config?.isFallback) return;
      const route = this.routes.get(url) ?? { path: patternOf(url), methods: new Set<string>() };
      for (const one of [method].flat()) route.methods.add(one);
      this.routes.set(url, route);
    });
  }

  /**
   * @param url as it came, with its query
   * @returns for the `Allow` header; undefined when nothing is at the path
   */
  of(url: string): string | undefined {
    const requested = routedPath(url).split('?', 1)[0] ?? '';
    const allowed = new Set<string>();
    for (const { path, methods } of this.routes.values()) {
      if (path.test(requested)) for (const one of methods) allowed.add(one);
    }
    return allowed.size > 0 ? [...allowed].sort().join(', ') : undefined;
  }
}

/** A parameter (`:id`) is one segment of a path, a wildcard (`*`) whatever follows. */
function patternOf(url: string): RegExp {
  const source = url
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:\w+/g, '[^/]+')
    .replace(/\*/g, '.+');
  return new RegExp(`^${source}$`);
}
