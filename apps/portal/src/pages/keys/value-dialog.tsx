import { useState } from 'react';
import type { ReactNode } from 'react';
import { Dialog } from '../../design/dialog';
import { KeyValueStep } from './key-value-step';

interface ValueDialogProps {
  title: string;
  /** Once there is a value. */
  valueTitle: string;
  onClose: () => void;
  /** What to fill in; calls `onValue` with what came of it. */
  form: (onValue: (value: string) => void) => ReactNode;
  /** Shown beside the value. */
  note?: ReactNode;
}

/** A dialog that ends with a key's value: from there on, only saying that it is saved closes it. */
export function ValueDialog({ title, valueTitle, onClose, form, note }: ValueDialogProps) {
  const [value, setValue] = useState<string>();
  const isOpen = value === undefined;
  return (
    <Dialog
      opened
      onClose={onClose}
      title={isOpen ? title : valueTitle}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={isOpen}
      withCloseButton={isOpen}
    >
      {isOpen ? (
        form(setValue)
      ) : (
        <KeyValueStep value={value} onDone={onClose}>
          {note}
        </KeyValueStep>
      )}
    </Dialog>
  );
}
