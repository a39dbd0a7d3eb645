import { Alert, Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useHeldDialog } from './dialog';

interface FormEndProps {
  /** What was refused, at no field of the form. */
  problem: string | undefined;
  /** It is being sent. */
  busy: boolean;
  onCancel: () => void;
  /** Waits no longer for the wallet, which may never answer; undefined while it is not asked. */
  stop?: () => void;
  /** The verb on the button, such as "Revoke key". */
  label: string;
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
}

/** How a dialog's form ends: what went wrong, the way out, the way on. */
export function FormEnd({ problem, busy, onCancel, stop, label, icon, danger, disabled }: FormEndProps) {
  useHeldDialog(busy);
  return (
    <>
      <FormProblem>{problem}</FormProblem>
      <Group justify="flex-end">
        <Button variant="default" onClick={stop ?? onCancel} disabled={busy && stop === undefined}>
          {stop === undefined ? 'Cancel' : 'Stop waiting'}
        </Button>
        <Button
          type="submit"
          color={danger ? 'red' : undefined}
          loading={busy}
          disabled={disabled}
          leftSection={icon}
        >
          {label}
        </Button>
      </Group>
    </>
  );
}

/** The way out while a wallet is asked; nothing while it is not. */
export function StopWaiting({ stop }: { stop: (() => void) | undefined }) {
  if (stop === undefined) return null;
  return (
    <Button variant="default" onClick={stop}>
      Stop waiting
    </Button>
  );
}

/** What was refused, told at once to who listens; nothing when nothing was. */
export function FormProblem({ children }: { children: ReactNode }) {
  if (children === undefined) return null;
  return (
    <Alert color="red" role="alert">
      {children}
    </Alert>
  );
}
