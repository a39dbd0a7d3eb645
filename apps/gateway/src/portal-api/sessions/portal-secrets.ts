import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { GatewayConfig } from '../../gateway.config';

type Purpose = 'nonce' | 'csrf';

/** What gateways of one marketplace sign for themselves, under keys of their own derived from `KEY_PEPPER`. */
@Injectable()
export class PortalSecrets {
  private readonly keys = new Map<Purpose, Buffer>();

  constructor(@Inject(GatewayConfig) private readonly config: GatewayConfig) {}

  /** The HMAC of `text`, 32 bytes; nothing that is signed for one purpose passes for another. */
  sign(purpose: Purpose, text: string): Buffer {
    return createHmac('sha256', this.keyFor(purpose)).update(text).digest();
  }

  /** Whether the two are equal, in a time that tells nothing of where they differ. */
  static areEqual(one: Buffer, other: Buffer): boolean {
    return one.length === other.length && timingSafeEqual(one, other);
  }

  private keyFor(purpose: Purpose): Buffer {
    let key = this.keys.get(purpose);
    if (!key) {
      const info = `svc portal ${purpose} ${this.config.environmentName} v1`;
      key = Buffer.from(hkdfSync('sha256', this.config.keyPepper, '', info, 32));
      this.keys.set(purpose, key);
    }
    return key;
  }
}
