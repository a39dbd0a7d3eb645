import { CrowdedOutError } from '../validation/turns';

/** Tries once more as long as this machine is too busy to tell what a schema costs: then nobody is blamed, as designed. */
export async function uncrowded<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CrowdedOutError)) throw error;
    }
  }
}
