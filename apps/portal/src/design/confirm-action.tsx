import { Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Dialog } from './dialog';
import { Form } from './form';
import { FormEnd } from './form-end';
import { useSubmit } from './use-submit';

interface ConfirmActionProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** What happens, and what breaks. */
  children: ReactNode;
  /** The verb on the button, such as "Revoke key". */
  confirmLabel: string;
  /** Closes when it resolves; what it throws is shown in the dialog. */
  onConfirm: () => Promise<unknown>;
  /** Waits no longer for the wallet; undefined while it is not asked. */
  stop?: () => void;
  danger?: boolean;
  /** Has to be typed before the button works. */
  typeToConfirm?: string;
}

/** Asks before something that cannot be undone. */
export function ConfirmAction(props: ConfirmActionProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={props.title}>
      {props.opened && <ConfirmBody {...props} />}
    </Dialog>
  );
}

function ConfirmBody({
  onClose,
  children,
  confirmLabel,
  onConfirm,
  stop,
  danger = false,
  typeToConfirm,
}: ConfirmActionProps) {
  const { busy, problem, submit } = useSubmit([]);
  const [typed, setTyped] = useState('');
  const confirm = async () => {
    await onConfirm();
    onClose();
  };
  return (
    <Form onSubmit={() => void submit(confirm)}>
      <Stack>
        <div>{children}</div>
        {typeToConfirm !== undefined && (
          <TextInput
            label={`Type ${typeToConfirm} to confirm`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        <FormEnd
          problem={problem}
          busy={busy}
          onCancel={onClose}
          stop={stop}
          label={confirmLabel}
          danger={danger}
          disabled={typeToConfirm !== undefined && asShown(typed) !== asShown(typeToConfirm)}
        />
      </Stack>
    </Form>
  );
}

/** Of several blanks a page shows one, so nobody can know of more. */
function asShown(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
