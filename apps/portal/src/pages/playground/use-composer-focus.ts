import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { isFocusLost } from '../../design/focus';

/**
 * Puts the focus where one writes, when the page is opened and whenever something is asked: the button that asked may be gone by then. Not
 * where there is a touch screen, whose keyboard would come up and hide the reply.
 */
export function useComposerFocus(composer: RefObject<HTMLTextAreaElement | null>, isRunning: boolean): void {
  const wasRunning = useRef(false);
  useEffect(() => {
    const hasEnded = wasRunning.current && !isRunning;
    wasRunning.current = isRunning;
    // Whoever is elsewhere by then, in the settings or a dialog, stays there.
    if (hasEnded && !isFocusLost()) return;
    const isTouched = window.matchMedia('(pointer: coarse)').matches;
    if (!isTouched) composer.current?.focus({ preventScroll: true });
  }, [composer, isRunning]);
}
