import { Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../design/dialog';
import { Form } from '../../design/form';
import { FormEnd } from '../../design/form-end';
import { tooLong } from '../../design/too-long';
import { useSubmit } from '../../design/use-submit';
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
    <Dialog opened={opened} onClose={onClose} title={act?.title}>
      {act && opened && <ActForm key={act.path} act={act} onClose={onClose} perform={perform} />}
    </Dialog>
  );
}

function ActForm({ act, onClose, perform }: Omit<ActDialogProps, 'act' | 'opened'> & { act: OperatorAct }) {
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  const { busy, problem, problemOf, submit } = useSubmit(['reason']);
  const excess = tooLong(reason.trim(), MOST_CHARACTERS);
  const send = () => {
    if (reason.trim() === '') return setMissing(true);
    if (excess !== undefined) return;
    void submit(() => perform(act, reason.trim()));
  };
  return (
    <Form onSubmit={send}>
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
          error={missing ? 'Say why.' : (excess ?? problemOf('reason'))}
          autosize
          minRows={2}
          required
          data-autofocus
        />
        <FormEnd problem={problem} busy={busy} onCancel={onClose} label={act.verb} danger={act.danger} />
      </Stack>
    </Form>
  );
}
