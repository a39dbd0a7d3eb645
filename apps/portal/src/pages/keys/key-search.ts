import { keysFor } from './key-view';
import type { KeyFilter } from './key-view';
import type { WalletKey } from './keys';

/** What the page shows; all of it stands in the address, so that a reload and going back come to the same place. */
export interface KeySearch {
  text: string;
  filter: KeyFilter;
  /** From 1. */
  page: number;
}

const FILTERS: readonly string[] = ['working', 'revoked', 'all'] satisfies KeyFilter[];

/** What does not fit is as if it were not there. */
export function searchFrom(params: URLSearchParams): KeySearch {
  const filter = params.get('show') ?? '';
  return {
    text: searchable(params.get('q') ?? ''),
    filter: FILTERS.includes(filter) ? (filter as KeyFilter) : 'working',
    page: Number(/^[1-9]\d{0,3}$/.exec(params.get('page') ?? '')?.[0] ?? 1),
  };
}

/** @returns what is not said by default */
export function paramsOf({ text, filter, page }: KeySearch): URLSearchParams {
  const params = new URLSearchParams();
  if (text !== '') params.set('q', text);
  if (filter !== 'working') params.set('show', filter);
  if (page > 1) params.set('page', String(page));
  return params;
}

const VALUE = /svc_(?:live|test)_\w{20,}/g;

/** Who has a value and wonders which key it is may paste it: only the end that is shown of it is looked for, and gets into the address. */
export function searchable(typed: string): string {
  return typed.replace(VALUE, (value) => value.slice(-4));
}

/** Those with all the words in their name, or with that end, or of that id. */
export function chosenKeys(keys: readonly WalletKey[], { text, filter }: KeySearch): WalletKey[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ id, name, last_four: end }: WalletKey) => {
    const others = [end.toLowerCase(), `…${end.toLowerCase()}`, id.toLowerCase()];
    return words.every((word) => name.toLowerCase().includes(word) || others.includes(word));
  };
  return keysFor(filter, keys).filter(fits);
}
