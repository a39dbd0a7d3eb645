import { useInAddress } from '../../design/use-in-address';
import { paramsOf, searchFrom } from './key-search';
import type { KeySearch } from './key-search';

const FORM = { from: searchFrom, to: paramsOf };

/** Which keys are shown, and a way to change it. */
export function useKeySearch(): [KeySearch, (next: Partial<KeySearch>) => void] {
  const [search, set] = useInAddress(FORM);
  const change = (next: Partial<KeySearch>) =>
    // Others are shown from their first page on. One goes back by pages, and not by letters.
    set({ ...search, page: 1, ...next }, { replace: next.text !== undefined });
  return [search, change];
}
