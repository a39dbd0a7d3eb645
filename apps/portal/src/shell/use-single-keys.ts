import { useLocalStorage } from '@mantine/hooks';

/**
 * Whether keys do something that are pressed alone, without Ctrl or ⌘. Who dictates to the computer, or touches keys by chance, turns that
 * off (WCAG 2.1.4); it holds for the browser.
 */
export function useSingleKeys(): [areOn: boolean, set: (areOn: boolean) => void] {
  const [areOn, set] = useLocalStorage({
    key: 'svc-single-keys',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  return [areOn, set];
}
