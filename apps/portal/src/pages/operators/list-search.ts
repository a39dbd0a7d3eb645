import { useDebouncedValue } from '@mantine/hooks';
import type { AddressForm } from '../../design/use-in-address';
import { useInAddress } from '../../design/use-in-address';

/** What an operator looks for in a list; all of it stands in the address, so that a reload, going back and a link come to the same. */
export interface ListSearch<Part extends string> {
  text: string;
  /** Which part of it is listed. */
  part: Part;
}

/** How what is looked for in one list stands in the address. */
export interface ListForm<Part extends string> extends AddressForm<ListSearch<Part>> {
  /** Of the text, in characters. */
  readonly longest: number;
}

const PAUSE_MS = 250;

/**
 * @param name of the parameter that says the part
 * @param parts the first is the usual one, which is not said
 * @param longest text that the server takes, in characters
 */
export function listForm<Part extends string>(
  name: string,
  parts: readonly [Part, ...Part[]],
  longest: number,
): ListForm<Part> {
  return {
    longest,
    from: (params) => ({
      text: (params.get('q') ?? '').slice(0, longest),
      part: parts.find((part) => part === params.get(name)) ?? parts[0],
    }),
    to: ({ text, part }) => {
      const params = new URLSearchParams();
      if (text !== '') params.set('q', text);
      if (part !== parts[0]) params.set(name, part);
      return params;
    },
  };
}

/**
 * What is looked for, and a way to change it.
 * @param form the same object each time
 * @returns `settled` is the text to ask for: once nobody types any more, without spaces around it
 */
export function useListSearch<Part extends string>(form: ListForm<Part>) {
  const [looked, set] = useInAddress(form);
  const [settled] = useDebouncedValue(looked.text.trim(), PAUSE_MS);
  const change = (next: Partial<ListSearch<Part>>) =>
    // One goes back by parts, and not by letters.
    set({ ...looked, ...next }, { replace: next.text !== undefined });
  return { ...looked, settled, change };
}
