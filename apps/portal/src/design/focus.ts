import { useMounted } from '@mantine/hooks';
import { useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';

/** Where the focus goes when a dialog closes: to what opened it, or to the page's heading when that cannot take it. */
export function useReturnFocus() {
  const opener = useRef<HTMLElement | null>(null);
  return {
    openedBy: (element: HTMLElement | null) => {
      opener.current = element;
    },
    closed: () => {
      // Once the dialog, which holds the focus, is gone.
      requestAnimationFrame(() => {
        opener.current?.focus();
        // It may be gone, or take no focus any more.
        if (document.activeElement !== opener.current) focusHeading();
      });
    },
  };
}

/** A control of a row: when the row goes while the control, or the menu that it opened, has the focus, the page's heading takes it. */
export function useLeaveFocus(control: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = control.current;
    // React runs this before it takes the row out of the document.
    return () => {
      if (element === null) return;
      const menu = document.getElementById(element.getAttribute('aria-controls') ?? '');
      if (element === document.activeElement || menu?.contains(document.activeElement)) focusHeading();
    };
  }, [control]);
}

/**
 * Of a dialog whose code comes only when it is to be opened: whether it is open. One that is so from its beginning does not know what had the
 * focus before it, which it gives back.
 */
export function useLateOpening(opened: boolean): boolean {
  return useMounted() && opened;
}

/** Whether what had the focus is gone. */
export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

export function focusHeading(): void {
  document.querySelector('h1')?.focus();
}
