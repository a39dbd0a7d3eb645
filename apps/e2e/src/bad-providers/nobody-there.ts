import { HonestProvider } from './honest-provider';

/** An offer whose endpoint is not there: the address is right, and nobody listens. */
export class NobodyThere extends HonestProvider {
  override async start(): Promise<this> {
    await super.start();
    await this.stop();
    return this;
  }
}
