import { Modal } from '@mantine/core';
import type { ModalProps } from '@mantine/core';
import { createContext, useContext, useLayoutEffect, useState } from 'react';

const HoldContext = createContext<(isHeld: boolean) => void>(() => undefined);

/** A dialog with a form. While that is being sent neither a key nor a click closes it: nobody would be told what came of it. */
export function Dialog({ onClose, ...props }: ModalProps) {
  const [isHeld, setHeld] = useState(false);
  const close = () => {
    // The Esc that was pressed in another one above it, such as that of a session which has ended, is not for this one.
    const isAlone = document.querySelectorAll('[aria-modal="true"]').length === 1;
    if (!isHeld && isAlone) onClose();
  };
  return (
    <HoldContext value={setHeld}>
      <Modal centered onClose={close} closeButtonProps={{ disabled: isHeld }} {...props} />
    </HoldContext>
  );
}

/** Holds the dialog around it open for as long as `isHeld`. */
export function useHeldDialog(isHeld: boolean): void {
  const hold = useContext(HoldContext);
  // At once: the next key may come before anything that is put off.
  useLayoutEffect(() => {
    hold(isHeld);
    return () => hold(false);
  }, [hold, isHeld]);
}
