import { useCallback, useEffect, useState } from 'react';
import { NavigationType, useNavigationType, useSearchParams } from 'react-router';
import { filtersFrom, paramsOf } from './model-filters';
import type { ModelFilters } from './model-filters';

/**
 * What is looked for, and a way to change it. It stands in the address as well; what is typed does not wait for that, or letters would get
 * lost.
 */
export function useFilters(): [ModelFilters, (next: Partial<ModelFilters>) => void] {
  const [params, setParams] = useSearchParams();
  const [filters, setFilters] = useState(() => filtersFrom(params));
  const arrival = useNavigationType();
  useEffect(() => {
    // Replacements are this page's own; whoever comes otherwise brings other filters.
    if (arrival !== NavigationType.Replace) setFilters(filtersFrom(params));
  }, [params, arrival]);
  const change = useCallback(
    (next: Partial<ModelFilters>) => {
      const changed = { ...filters, ...next };
      setFilters(changed);
      setParams(paramsOf(changed), { replace: true, preventScrollReset: true });
    },
    [filters, setParams],
  );
  return [filters, change];
}
