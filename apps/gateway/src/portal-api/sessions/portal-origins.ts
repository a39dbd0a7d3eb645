import { Inject, Injectable } from '@nestjs/common';
import { GatewayConfig } from '../../gateway.config';

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

  get areSet(): boolean {
    return this.origins.size > 0;
  }

  has(origin: string | undefined): boolean {
    return origin !== undefined && this.origins.has(origin);
  }

  /** @param host as in the `Host` header: with the port unless it is the scheme's own */
  ofHost(host: string): string | undefined {
    const origin = `${this.areSecure ? 'https' : 'http'}://${host.toLowerCase()}`;
    return this.has(origin) ? origin : undefined;
  }
}
