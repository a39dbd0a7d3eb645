import { Button } from '@mantine/core';
import { useRef } from 'react';
import { useLeaveFocus } from '../../design/focus';
import type { OperatorAct } from './acts';
import { useAct } from './act-context';

interface ActButtonProps {
  act: OperatorAct;
  /** What is done, and to what. */
  label: string;
  children: string;
}

/** Of a row that may leave the list with what it does. */
export function ActButton({ act, label, children }: ActButtonProps) {
  const ask = useAct();
  const button = useRef<HTMLButtonElement>(null);
  useLeaveFocus(button);
  return (
    <Button ref={button} size="xs" variant="default" onClick={() => ask(act)} aria-label={label}>
      {children}
    </Button>
  );
}
