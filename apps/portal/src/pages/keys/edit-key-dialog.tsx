import { Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Amount } from '../../design/amount';
import { Dialog } from '../../design/dialog';
import { Form } from '../../design/form';
import { FormEnd } from '../../design/form-end';
import { toBaseUnits } from '../../design/money';
import { notify } from '../../design/notify';
import { BudgetFields } from './budget-fields';
import { budgetText, keyChange, nameProblem, readBudget } from './key-view';
import { useKeyActions } from './keys';
import type { WalletKey } from './keys';
import { useSubmit } from '../../design/use-submit';

interface DialogProps {
  walletKey: WalletKey;
  onClose: () => void;
}

export function EditKeyDialog({ walletKey, onClose }: DialogProps) {
  return (
    <Dialog opened onClose={onClose} title="Edit key" size="lg">
      <EditKeyForm walletKey={walletKey} onClose={onClose} />
    </Dialog>
  );
}

function EditKeyForm({ walletKey, onClose }: DialogProps) {
  const { change } = useKeyActions();
  const [name, setName] = useState(walletKey.name);
  const [budget, setBudget] = useState(() => budgetText(walletKey));
  const { busy, submit, problem, problemOf } = useSubmit(['name', 'budget_usdc', 'budget_reset']);
  const read = readBudget(budget);
  const ownProblem = nameProblem(name);
  const send = () => {
    if (ownProblem !== undefined || 'problem' in read) return;
    const { budget: wanted } = read;
    void submit(async () => {
      await change(walletKey.id, keyChange(walletKey, { name, budget: wanted }));
      notify.success('The key is changed.');
      onClose();
    });
  };
  return (
    <Form onSubmit={send}>
      <Stack>
        <TextInput
          label="Name"
          autoComplete="off"
          data-autofocus
          required
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={ownProblem ?? problemOf('name')}
        />
        <BudgetFields
          value={budget}
          onChange={setBudget}
          capError={'problem' in read ? read.problem : problemOf('budget_usdc')}
          resetError={problemOf('budget_reset')}
        />
        {toBaseUnits(walletKey.spent_usdc) > 0n && (
          <Text size="sm" c="dimmed">
            It has spent <Amount of={{ usdc: walletKey.spent_usdc }} />
            {walletKey.budget?.reset ? ' in this period' : ''}; the limit cannot be below that.
          </Text>
        )}
        <FormEnd problem={problem} busy={busy} onCancel={onClose} label="Save" />
      </Stack>
    </Form>
  );
}
