import { freePort } from '@svc/local-servers';
import { HonestProvider } from '../honest-provider/honest-provider';

/** An offer whose endpoint is not there: the address is right, and nobody listens, nor ever will. */
export class NobodyThere extends HonestProvider {
  override async start(): Promise<this> {
    this.port = await freePort();
    return this;
  }
}
