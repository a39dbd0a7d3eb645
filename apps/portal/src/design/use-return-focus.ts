import { useRef } from 'react';

/** Where the focus goes when a dialog closes: to what opened it, or to the page's heading when that is gone. */
export function useReturnFocus() {
  const opener = useRef<HTMLElement | null>(null);
  return {
    openedBy: (element: HTMLElement | null) => {
      opener.current = element;
    },
    closed: () => {
      // Once the dialog, which holds the focus, is gone.
      requestAnimationFrame(() => {
        const target = opener.current?.isConnected ? opener.current : document.querySelector('h1');
        if (target instanceof HTMLElement) target.focus();
      });
    },
  };
}
