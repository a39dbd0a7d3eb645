import type { ReactNode } from 'react';

interface FormProps {
  /** Its button was pressed, or Enter in one of its fields. */
  onSubmit: () => void;
  /** What screen readers call it. */
  label?: string;
  children: ReactNode;
}

/** A form that the page sends by itself. What is wrong stands at its fields, in the page's words and not in the browser's. */
export function Form({ onSubmit, label, children }: FormProps) {
  return (
    <form
      noValidate
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
