import { Inject, Injectable } from '@nestjs/common';
import { GatewayConfig } from '../../gateway.config';
import { foreignOrigin, noOrigins } from './session-refusals';

/** Where the portal's page may be: each as browsers write an origin, scheme and host with port. */
@Injectable()
export class PortalOrigins {
  private readonly origins: ReadonlySet<string>;
  /** Cookies are `Secure` where the page is: origins are of one scheme. */
  readonly areSecure: boolean;

  constructor(@Inject(GatewayConfig) { portalOriginList }: GatewayConfig) {
    this.origins = new Set(portalOriginList);
    this.areSecure = portalOriginList.some((origin) => origin.startsWith('https:'));
  }

  has(origin: string | undefined): boolean {
    return origin !== undefined && this.origins.has(origin);
  }

  /**
   * @param origin the `Origin` header of a request: browsers send it with every write
   * @throws SvcError invalid_request (`origin`) unless it is one of these
   */
  require(origin: string | undefined): void {
    if (!this.has(origin)) throw foreignOrigin(this.first);
  }

  /** @param host as in the `Host` header: with the port unless it is the scheme's own */
  ofHost(host: string): string | undefined {
    const origin = `${this.areSecure ? 'https' : 'http'}://${host.toLowerCase()}`;
    return this.origins.has(origin) ? origin : undefined;
  }

  /**
   * The origin of that host, or the first when the page is at none: replies name no host that somebody made up.
   * @throws SvcError invalid_request when there is no portal
   */
  nearest(host: string): string {
    return this.ofHost(host) ?? this.first;
  }

  private get first(): string {
    const [first] = this.origins;
    if (first === undefined) throw noOrigins();
    return first;
  }
}
