import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { paramsOf, searchFrom } from './key-search';
import type { KeySearch } from './key-search';

/**
 * Which keys are shown, and a way to change it. It stands in the address as well; what is typed does not wait for that, or letters would get
 * lost.
 */
export function useKeySearch(): [KeySearch, (next: Partial<KeySearch>) => void] {
  const [params, setParams] = useSearchParams();
  const [search, setSearch] = useState(() => searchFrom(params));
  // The address may be ahead of `params`, when more is typed meanwhile.
  useEffect(() => setSearch(searchFrom(new URLSearchParams(window.location.search))), [params]);
  const change = (next: Partial<KeySearch>) => {
    // Others are shown from their first page on.
    const changed = { ...search, page: 1, ...next };
    setSearch(changed);
    // One goes back by pages, and not by letters.
    setParams(paramsOf(changed), { replace: next.text !== undefined, preventScrollReset: true });
  };
  return [search, change];
}
