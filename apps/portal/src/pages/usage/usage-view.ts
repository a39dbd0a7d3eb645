import { DEFAULT_PRESET, PRESETS, readDays } from './usage-range';
import type { UsageRange } from './usage-range';

export const SERIES = { model: 'Model', key: 'Key', provider: 'Provider' } as const;
export type SeriesBy = keyof typeof SERIES;

export const OUTCOMES = { served: 'Served', unserved: 'Not served' } as const;
export type OutcomeFilter = keyof typeof OUTCOMES;

/** Which requests are meant; null is any. */
export interface UsageFilters {
  model: string | null;
  key: string | null;
  provider: string | null;
  outcome: OutcomeFilter | null;
}

/** What the page shows; all of it stands in the address, so that a view can be shared and gone back to. */
export interface UsageView extends UsageFilters {
  range: UsageRange;
  by: SeriesBy;
}

/** What does not fit is as if it were not there. */
export function viewFrom(params: URLSearchParams): UsageView {
  const [preset, by, outcome] = [params.get('range'), params.get('by'), params.get('outcome')];
  return {
    range: readDays(params.get('from'), params.get('to')) ?? {
      preset: isOneOf(PRESETS, preset) ? preset : DEFAULT_PRESET,
    },
    by: isOneOf(SERIES, by) ? by : 'model',
    model: fitting(params.get('model'), /^svc\/[a-z0-9._-]+@[a-z0-9._-]+$/),
    key: fitting(params.get('key'), /^[A-Za-z0-9_-]{1,80}$/),
    provider: fitting(params.get('provider')?.toLowerCase() ?? null, ADDRESS),
    outcome: isOneOf(OUTCOMES, outcome) ? outcome : null,
  };
}

export const ADDRESS = /^0x[0-9a-f]{40}$/;

/** @returns what is not said by default */
export function paramsOf({ range, by, ...filters }: UsageView): URLSearchParams {
  const params = new URLSearchParams();
  if (!('preset' in range)) {
    params.set('from', range.first);
    params.set('to', range.last);
  } else if (range.preset !== DEFAULT_PRESET) params.set('range', range.preset);
  if (by !== 'model') params.set('by', by);
  for (const [name, value] of Object.entries(filters)) if (value !== null) params.set(name, value);
  return params;
}

export const NO_FILTERS: UsageFilters = { model: null, key: null, provider: null, outcome: null };

export function isFiltered({ model, key, provider, outcome }: UsageFilters): boolean {
  return (model ?? key ?? provider ?? outcome) !== null;
}

function isOneOf<T extends object>(words: T, word: string | null): word is Extract<keyof T, string> {
  return word !== null && Object.hasOwn(words, word);
}

function fitting(text: string | null, form: RegExp): string | null {
  return text !== null && form.test(text) ? text : null;
}
