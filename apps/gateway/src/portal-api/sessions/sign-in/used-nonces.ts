import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { MESSAGING } from '@svc/messaging';
import type { Messaging } from '@svc/messaging';
import { PortalBucket } from '../portal-bucket';

/** A nonce is good for less, so that it is over before it is forgotten here. */
const REMEMBERED_MS = 10 * 60_000;
const MAX_BUCKET_BYTES = 64 * 1024 * 1024;

/** The nonces that somebody signed in with, at any gateway. Those that were only asked for are nowhere. */
@Injectable()
export class UsedNonces implements OnApplicationBootstrap {
  private readonly bucket: PortalBucket;

  constructor(@Inject(MESSAGING) messaging: Messaging) {
    const options = { name: 'gateway_nonces', ttlMs: REMEMBERED_MS, maxBytes: MAX_BUCKET_BYTES };
    this.bucket = new PortalBucket(messaging, options);
  }

  onApplicationBootstrap(): void {
    this.bucket.prepare();
  }

  /**
   * @returns whether this was the first time
   * @throws SvcError no_capacity when that cannot be told
   */
  use(nonce: string): Promise<boolean> {
    return this.bucket.put(nonce, '', 0);
  }
}
