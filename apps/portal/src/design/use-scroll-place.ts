import { useLayoutEffect } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router';

/** Where one was on the page of each entry of the browser's history, px. A reload forgets it, and is the browser's own matter. */
const places = new Map<string, number>();

/** A page is shown where somebody was on it, and nobody has done anything on it since. */
let returning = false;

/** How long one's place on a page is waited for, as what it shows comes piece by piece: whoever has waited longer has begun to read elsewhere. */
const COMES_WITHIN_MS = 3_000;

/**
 * Begins a page at its top, and one that is gone back to where one was. Browsers do the latter too, but before that page is there: only as
 * far down as the one that is left is long.
 */
export function useScrollPlace(): void {
  const { key, pathname } = useLocation();
  const way = useNavigationType();
  useLayoutEffect(() => {
    // What is looked for on a page, or its next part, begins where one is: nobody need scroll for that to be so.
    if (way !== NavigationType.Pop) places.set(key, window.scrollY);
    return noteScrolling(key);
  }, [key]);
  // With each page, not with each step: what is looked for on a page stands in its address too, and moves nobody on it.
  useLayoutEffect(() => {
    if (way === NavigationType.Pop) {
      const place = places.get(key);
      return place === undefined ? undefined : scrollOnceThere(place);
    }
    window.scrollTo(0, 0);
    return undefined;
  }, [pathname]);
}

/** Whether a page is shown where somebody was on it, and nobody has done anything on it since: it is not to be scrolled then. */
export function isReturning(): boolean {
  return returning;
}

/** @returns what ends it */
function noteScrolling(key: string): () => void {
  const note = () => {
    // Another entry may be the browser's by now, which scrolls as that wants it while the page is still the one before.
    if (keyOfEntry() === key) places.set(key, window.scrollY);
  };
  window.addEventListener('scroll', note, { passive: true });
  return () => window.removeEventListener('scroll', note);
}

/** As react-router has it in the browser's history. */
function keyOfEntry(): string {
  return (window.history.state as { key?: string } | null)?.key ?? 'default';
}

/** Scrolls there as soon as the page is long enough, unless somebody has begun to do something before. @returns what gives it up */
function scrollOnceThere(place: number): () => void {
  returning = true;
  const scroll = () => {
    window.scrollTo(0, place);
    if (Math.abs(window.scrollY - place) < 1) wait();
  };
  const growth = new ResizeObserver(scroll);
  const timer = setTimeout(() => wait(), COMES_WITHIN_MS);
  const acts = ['wheel', 'touchstart', 'keydown', 'pointerdown'];
  const wait = () => {
    growth.disconnect();
    clearTimeout(timer);
  };
  const giveUp = () => {
    wait();
    returning = false;
    for (const act of acts) window.removeEventListener(act, giveUp);
  };
  for (const act of acts) window.addEventListener(act, giveUp, { passive: true });
  growth.observe(document.body);
  scroll();
  return giveUp;
}
