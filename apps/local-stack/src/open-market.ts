import { becomesTrue } from '@svc/local-servers';

const openWithinMs = 30_000;

interface ModelList {
  data?: { id: string; svc?: { pricing?: object } }[];
}

/**
 * Waits until a gateway lists a model with a price: only then has what was seeded reached it, and a request is served.
 * @param gateway base URL with `/v1`
 * @throws Error when that takes longer than 30 s; the signal's reason when it is aborted before
 */
export async function untilOpen(gateway: string, model: string, signal: AbortSignal): Promise<void> {
  const listed = async (): Promise<boolean> => {
    signal.throwIfAborted();
    return hasPrice(`${gateway}/models`, model);
  };
  if (!(await becomesTrue(listed, openWithinMs))) {
    throw new Error(`${gateway}/models does not list ${model} with a price after ${openWithinMs} ms.`);
  }
}

async function hasPrice(url: string, model: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    const list = (await response.json()) as ModelList;
    return list.data?.some(({ id, svc }) => id === model && svc?.pricing !== undefined) === true;
  } catch {
    return false;
  }
}
