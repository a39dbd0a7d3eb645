import { invalidRequest } from '@svc/errors';

/**
 * Refuses a request that defines things, for one field of it.
 * @param path of the field, e.g. `bundles[0].model`
 * @param reason the rest of the sentence that the path begins, e.g. `must be a chat model`
 * @throws SvcError `invalid_request` that names the path
 */
export function refuseField(path: string, reason: string): never {
  throw invalidRequest(`${path} ${reason}.`, path);
}
