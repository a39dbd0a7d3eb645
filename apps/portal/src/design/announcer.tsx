import { VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';

let speak: (text: string) => void = () => undefined;

/** Says something to screen readers, politely, without showing it. */
export function announce(text: string): void {
  speak(text);
}

/** The live region behind {@link announce}; once, in the shell. */
export function Announcer() {
  const [text, setText] = useState('');
  useEffect(() => {
    speak = setText;
    return () => {
      speak = () => undefined;
    };
  }, []);
  useEffect(() => {
    // The same words said again have to be a change.
    const timer = setTimeout(() => setText(''), 3000);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {text}
    </VisuallyHidden>
  );
}
