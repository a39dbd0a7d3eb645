import { Alert, Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { SyntheticEvent } from 'react';
import { ApiError } from '../../api/api-error';
import { wordsOf } from '../../api/error-words';
import type { OperatorAct } from './acts';

interface ActDialogProps {
  act: OperatorAct | undefined;
  opened: boolean;
  onClose: () => void;
  /** Rejects with what the marketplace refused. */
  perform: (act: OperatorAct, reason: string) => Promise<void>;
}

const MOST_CHARACTERS = 200;

/** Says what an act does and asks why. */
export function ActDialog({ act, opened, onClose, perform }: ActDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={act?.title} centered>
      {act && opened && <ActForm key={act.path} act={act} onClose={onClose} perform={perform} />}
    </Modal>
  );
}

function ActForm({ act, onClose, perform }: Omit<ActDialogProps, 'act' | 'opened'> & { act: OperatorAct }) {
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [missing, setMissing] = useState(false);
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault();
    if (reason.trim() === '') return setMissing(true);
    setBusy(true);
    setError(undefined);
    try {
      await perform(act, reason.trim());
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  const ofReason = error instanceof ApiError && error.param === 'reason' ? error.message : undefined;
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <Stack>
        <Text size="sm">{act.consequence}</Text>
        <Textarea
          label="Reason"
          description="It stands in the audit trail with your wallet; the provider is told a suspension’s."
          value={reason}
          onChange={(event) => {
            setReason(event.currentTarget.value.replace(/[\r\n]+/g, ' '));
            setMissing(false);
          }}
          error={missing ? 'Say why.' : ofReason}
          maxLength={MOST_CHARACTERS}
          autosize
          minRows={2}
          required
          data-autofocus
        />
        {error !== undefined && ofReason === undefined && (
          <Alert color="red" role="alert">
            {wordsOf(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button type="submit" color={act.danger ? 'red' : undefined} loading={busy}>
            {act.verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
