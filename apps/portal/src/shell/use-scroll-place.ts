import { useLayoutEffect } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router';

/** Where one was on the page of each entry of the browser's history, px. A reload forgets it, and is the browser's own matter. */
const places = new Map<string, number>();

/** What a page shows comes piece by piece; whoever has waited for so long has begun to read elsewhere. */
const COMES_WITHIN_MS = 3_000;

/**
 * Begins a page at its top, and one that is gone back to where one was. Browsers do the latter too, but before that page is there: only as
 * far down as the one that is left is long.
 */
export function useScrollPlace(): void {
  const { key, pathname } = useLocation();
  const way = useNavigationType();
  useLayoutEffect(() => noteScrolling(key), [key]);
  // With each page, not with each step: what is looked for on a page stands in its address too, and moves nobody on it.
  useLayoutEffect(() => {
    if (way === NavigationType.Pop) return scrollOnceThere(places.get(key) ?? 0);
    window.scrollTo(0, 0);
    return undefined;
  }, [pathname]);
}

/** @returns what ends it */
function noteScrolling(key: string): () => void {
  let isLeft = false;
  const note = () => {
    if (!isLeft) places.set(key, window.scrollY);
  };
  // The browser scrolls then as the entry that comes wants it, and the page is still the one before.
  const leave = () => {
    isLeft = true;
  };
  window.addEventListener('scroll', note, { passive: true });
  window.addEventListener('popstate', leave);
  return () => {
    window.removeEventListener('scroll', note);
    window.removeEventListener('popstate', leave);
  };
}

/** Scrolls there as soon as the page is long enough, unless somebody has begun to do something before. @returns what gives it up */
function scrollOnceThere(place: number): (() => void) | undefined {
  if (place === 0) return undefined;
  const scroll = () => {
    window.scrollTo(0, place);
    if (Math.abs(window.scrollY - place) < 1) giveUp();
  };
  const growth = new ResizeObserver(scroll);
  const timer = setTimeout(() => giveUp(), COMES_WITHIN_MS);
  const acts = ['wheel', 'touchstart', 'keydown', 'pointerdown'];
  const giveUp = () => {
    growth.disconnect();
    clearTimeout(timer);
    for (const act of acts) window.removeEventListener(act, giveUp);
  };
  for (const act of acts) window.addEventListener(act, giveUp, { passive: true });
  growth.observe(document.body);
  scroll();
  return giveUp;
}
