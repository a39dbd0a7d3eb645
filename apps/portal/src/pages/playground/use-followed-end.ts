import { useEffect, useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';
import type { ChatState } from './chat';

/** So near to its end, one reads what comes. */
const NEAR_PX = 120;

/** Keeps the end of the conversation in sight while it grows, unless somebody has scrolled away from it. */
export function useFollowedEnd(conversation: RefObject<HTMLElement | null>, { turns }: ChatState): void {
  const follows = useRef(true);
  useEffect(() => {
    const note = () => {
      follows.current = belowSight(conversation) <= NEAR_PX;
    };
    window.addEventListener('scroll', note, { passive: true });
    return () => window.removeEventListener('scroll', note);
  }, [conversation]);
  useLayoutEffect(() => {
    const below = belowSight(conversation);
    if (turns.length > 0 && follows.current && below > 0) window.scrollBy(0, below);
  }, [conversation, turns]);
}

/** How much of it is below the lower edge of the window, px. */
function belowSight({ current }: RefObject<HTMLElement | null>): number {
  return current === null ? 0 : Math.ceil(current.getBoundingClientRect().bottom) - window.innerHeight;
}
