import type { ProviderFile } from '../provider-file/provider-file';
import { MarketRefusal } from './market-client';

/**
 * Does something at the market; what the market refuses because of a field is said of the file's.
 * @param fieldOf the field of the file that one of the market's API stands for
 */
export async function inTermsOfFile<T>(
  file: ProviderFile,
  fieldOf: (param: string) => string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof MarketRefusal) || error.param === null) throw error;
    const { message, status, code, param } = error;
    throw file.refusal(fieldOf(param), message, 1, { status, code, param });
  }
}
