import { NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { rememberFreshKey } from '../../api/fresh-key';
import { requestToken } from '../../api/request-token';
import { useKeyActions } from './keys';
import type { WalletKey } from './keys';
import { Form } from '../../design/form';
import { FormEnd } from '../../design/form-end';
import { useSubmit } from '../../design/use-submit';
import { ValueDialog } from './value-dialog';

const OVERLAPS = [
  { value: '0', label: 'Stops at once' },
  { value: '3600', label: 'Works for another hour' },
  { value: '86400', label: 'Works for another day' },
  { value: '604800', label: 'Works for another 7 days' },
  { value: '2592000', label: 'Works for another 30 days' },
];

interface RotateKeyDialogProps {
  walletKey: WalletKey;
  onClose: () => void;
}

export function RotateKeyDialog({ walletKey, onClose }: RotateKeyDialogProps) {
  const [overlap, setOverlap] = useState('86400');
  return (
    <ValueDialog
      title="Rotate key"
      valueTitle="The key’s new value"
      onClose={onClose}
      note={<Text size="sm">{noteOf(overlap)}</Text>}
      form={(onValue) => (
        <RotateKeyForm
          walletKey={walletKey}
          overlap={overlap}
          onOverlap={setOverlap}
          onValue={onValue}
          onCancel={onClose}
        />
      )}
    />
  );
}

interface FormProps {
  walletKey: WalletKey;
  overlap: string;
  onOverlap: (overlap: string) => void;
  onValue: (value: string) => void;
  onCancel: () => void;
}

function RotateKeyForm({ walletKey, overlap, onOverlap, onValue, onCancel }: FormProps) {
  const { rotate } = useKeyActions();
  const [token] = useState(requestToken);
  const { busy, submit, problem } = useSubmit([]);
  const send = () =>
    void submit(async () => {
      const body = { overlap_seconds: Number(overlap), request_token: token };
      const { id, value } = await rotate(walletKey.id, body);
      rememberFreshKey({ id, value });
      onValue(value);
    });
  return (
    <Form onSubmit={send}>
      <Stack>
        <Text size="sm" className="breakable">
          <b>{walletKey.name}</b> gets a new value. Its name, budget and usage stay as they are. While both
          values work, you can replace the old one wherever it is used without an interruption.
        </Text>
        <NativeSelect
          label="The old value"
          description="Choose “at once” if somebody else may have it: every earlier value stops then."
          data={OVERLAPS}
          value={overlap}
          onChange={({ currentTarget }) => onOverlap(currentTarget.value)}
          data-autofocus
        />
        <FormEnd problem={problem} busy={busy} onCancel={onCancel} label="Rotate key" />
      </Stack>
    </Form>
  );
}

function noteOf(overlap: string): string {
  if (overlap === '0') return 'The old value works no more.';
  const choice = OVERLAPS.find(({ value }) => value === overlap)?.label.toLowerCase() ?? '';
  return `The old value ${choice}: replace it before then.`;
}
