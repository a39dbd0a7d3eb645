import { useEffect, useState } from 'react';

/** Whole seconds that are left, from when it is first shown. */
export function useCountdown(seconds: number): number {
  const [left, setLeft] = useState(Math.max(0, Math.ceil(seconds)));
  const isOver = left === 0;
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => setLeft((before) => Math.max(0, before - 1)), 1000);
    return () => clearInterval(timer);
  }, [isOver]);
  return left;
}
