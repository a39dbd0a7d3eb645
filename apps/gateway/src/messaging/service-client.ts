import { Injectable } from '@nestjs/common';
import type { RpcContract } from '@svc/contracts';
import { SvcError } from '@svc/errors';
import { RpcClient } from '@svc/messaging';

/** Asks the other services on behalf of a client; what they refuse is told in the HTTP API's terms. */
@Injectable()
export class ServiceClient {
  constructor(private readonly rpc: RpcClient) {}

  /**
   * @param names fields of the call that the client knows by another name than their own in snake case
   * @throws SvcError what the service refused the call with
   * @throws RpcUnavailableError
   */
  async call<Req extends object, Res>(
    contract: RpcContract<Req, Res>,
    request: Req,
    requestId: string,
    names: Readonly<Record<string, string>> = {},
  ): Promise<Res> {
    try {
      return await this.rpc.call(contract, request, { requestId });
    } catch (error) {
      if (!SvcError.is(error) || error.payload.param === undefined) throw error;
      const { param } = error.payload;
      throw new SvcError({ ...error.payload, param: names[param] ?? snakeCase(param) });
    }
  }
}

/** `bundleDefinition.weightsDigest` → `bundle_definition.weights_digest` */
function snakeCase(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
