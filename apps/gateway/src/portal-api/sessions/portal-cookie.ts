/**
 * A cookie of the portal: no script reads it, and no other site's page has it sent. Values hold letters, digits, `.`, `_` and `-`, which
 * need no encoding.
 */
export class PortalCookie {
  private readonly name: string;
  private readonly attributes: string;

  /**
   * @param name with the environment in it: cookies are shared by all ports of a host, and both environments may run on one machine
   * @param isSecure whether the page is served by https
   */
  constructor(name: string, isSecure: boolean) {
    // `__Host-` keeps other hosts of the domain from setting it; such a cookie is for all paths, though nothing outside /portal reads it.
    this.name = isSecure ? `__Host-${name}` : name;
    this.attributes = `Path=${isSecure ? '/' : '/portal'}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  }

  /** The `Set-Cookie` header. */
  set(value: string, maxAgeSeconds: number): string {
    return `${this.name}=${value}; Max-Age=${maxAgeSeconds}; ${this.attributes}`;
  }

  clear(): string {
    return this.set('', 0);
  }

  /** @param header `Cookie` */
  read(header: string | undefined): string | undefined {
    const prefix = `${this.name}=`;
    return header
      ?.split('; ')
      .find((pair) => pair.startsWith(prefix))
      ?.slice(prefix.length);
  }
}
