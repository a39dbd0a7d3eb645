import { useEffect, useLayoutEffect, useRef } from 'react';
import type { ChatState } from './chat';

/** So near to its end, one reads what comes. */
const NEAR_PX = 120;

/** Keeps the end of the conversation in sight while it grows, unless somebody has scrolled away from it. */
export function useFollowedEnd({ turns }: ChatState): void {
  const follows = useRef(true);
  useEffect(() => {
    const note = () => {
      const { scrollHeight } = document.documentElement;
      follows.current = window.innerHeight + window.scrollY >= scrollHeight - NEAR_PX;
    };
    window.addEventListener('scroll', note, { passive: true });
    return () => window.removeEventListener('scroll', note);
  }, []);
  useLayoutEffect(() => {
    if (turns.length > 0 && follows.current) window.scrollTo(0, document.documentElement.scrollHeight);
  }, [turns]);
}
