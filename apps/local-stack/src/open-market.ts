import { becomesTrue } from '@svc/local-servers';

const openWithinMs = 30_000;

interface ModelList {
  data?: { id: string; svc?: { pricing?: object } }[];
}

/**
 * Waits until a gateway lists models with a price: only then has what is live reached it, and a request is served.
 * @param gateway base URL with `/v1`
 * @throws Error when that takes longer than 30 s; the signal's reason when it is aborted before
 */
export async function untilOpen(
  gateway: string,
  models: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const listed = async (): Promise<boolean> => {
    signal.throwIfAborted();
    return havePrices(`${gateway}/models`, models);
  };
  if (!(await becomesTrue(listed, openWithinMs))) {
    throw new Error(
      `${gateway}/models does not list ${models.join(', ')} with prices after ${openWithinMs} ms.`,
    );
  }
}

async function havePrices(url: string, models: readonly string[]): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    const list = (await response.json()) as ModelList;
    const priced = new Set(list.data?.filter(({ svc }) => svc?.pricing !== undefined).map(({ id }) => id));
    return models.every((model) => priced.has(model));
  } catch {
    return false;
  }
}
