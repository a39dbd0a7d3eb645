import { ApiError } from '../../api/api-error';

/** While its batch is on its way; nothing else of a request changes but by refunds. */
const POLL_MS = 5_000;

interface Known {
  data: { settlement: { state: string } } | undefined;
  error: unknown;
}

/**
 * How soon a request is asked for again by itself, ms.
 * @param unlessLive how soon, of what the event stream tells: that the line of a request is there, which comes a moment after its charge
 */
export function pollOf({ data, error }: Known, unlessLive: number | false): number | false {
  if (data !== undefined) return ['nothing', 'settled'].includes(data.settlement.state) ? false : POLL_MS;
  return error instanceof ApiError && error.status === 404 ? unlessLive : false;
}
