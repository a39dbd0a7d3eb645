import { Text } from '@mantine/core';
import type { TextProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { marketNowMs } from '../api/market-clock';
import { showAbsolute, showRelative } from './time';

type WhenProps = TextProps & {
  /** ISO 8601; null is never, shown as a dash. */
  at: string | null;
  /** The date itself instead of how long ago it is. */
  absolute?: boolean;
};

/** A moment: how long ago, the exact time on hover and for screen readers. */
export function When({ at, absolute = false, ...rest }: WhenProps) {
  const [now, setNow] = useState(marketNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(marketNow()), 30_000);
    return () => clearInterval(timer);
  }, []);
  if (at === null) return <span>–</span>;
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return <span>–</span>;
  return (
    <Text component="time" inherit dateTime={at} title={showAbsolute(moment)} {...rest}>
      {absolute ? showAbsolute(moment) : showRelative(moment, now)}
    </Text>
  );
}

function marketNow(): Date {
  return new Date(marketNowMs());
}
