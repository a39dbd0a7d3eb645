import type { IncomingMessage } from 'node:http';
import { HonestProvider } from '../honest-provider/honest-provider';

/** Honest, and not for everybody: whoever does not bring the right bearer token is told 401, for the list of models too. */
export class WantsBearer extends HonestProvider {
  constructor(private readonly token: string) {
    super();
  }

  protected override refusal(request: IncomingMessage): number | undefined {
    if (request.headers.authorization !== `Bearer ${this.token}`) return 401;
    return super.refusal(request);
  }
}
