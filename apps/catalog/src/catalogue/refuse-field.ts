import { invalidRequest } from '@svc/errors';

/**
 * Refuses a request that defines things, for one field of it.
 * @param path of the field, e.g. `bundles[0].model`
 * @throws SvcError `invalid_request` that names the path
 */
export function refuseField(path: string, reason: string): never {
  throw invalidRequest(`${path}: ${reason}`, path);
}
