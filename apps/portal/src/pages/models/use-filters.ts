import { useCallback } from 'react';
import { useInAddress } from '../../design/use-in-address';
import { filtersFrom, paramsOf } from './model-filters';
import type { ModelFilters } from './model-filters';

const FORM = { from: filtersFrom, to: paramsOf };

/** Which models are looked for, and a way to change it. */
export function useFilters(): [ModelFilters, (next: Partial<ModelFilters>) => void] {
  const [filters, set] = useInAddress(FORM);
  const change = useCallback(
    (next: Partial<ModelFilters>) => set({ ...filters, ...next }, { replace: true }),
    [filters, set],
  );
  return [filters, change];
}
