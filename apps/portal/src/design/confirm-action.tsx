import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { wordsOf } from '../api/error-words';

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
  danger?: boolean;
  /** Has to be typed before the button works. */
  typeToConfirm?: string;
}

/** Asks before something that cannot be undone. */
export function ConfirmAction(props: ConfirmActionProps) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={props.title} centered>
      {props.opened && <ConfirmBody {...props} />}
    </Modal>
  );
}

function ConfirmBody({
  onClose,
  children,
  confirmLabel,
  onConfirm,
  danger = false,
  typeToConfirm,
}: ConfirmActionProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [typed, setTyped] = useState('');
  const ready = typeToConfirm === undefined || typed.trim() === typeToConfirm;
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
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
      {error !== undefined && (
        <Alert color="red" role="alert">
          {wordsOf(error)}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} disabled={busy}>
          Cancel
        </Button>
        <Button
          color={danger ? 'red' : undefined}
          onClick={() => void confirm()}
          loading={busy}
          disabled={!ready}
        >
          {confirmLabel}
        </Button>
      </Group>
    </Stack>
  );
}
