import { Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { rememberFreshKey } from '../../api/fresh-key';
import { requestToken } from '../../api/request-token';
import { BudgetFields } from './budget-fields';
import { nameProblem, readBudget } from './key-view';
import type { BudgetText } from './key-view';
import { useKeyActions } from './keys';
import { Form } from '../../design/form';
import { FormEnd } from '../../design/form-end';
import { useSubmit } from '../../design/use-submit';
import { ValueDialog } from './value-dialog';

export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  return (
    <ValueDialog
      title="Create an API key"
      valueTitle="Your new API key"
      onClose={onClose}
      form={(onValue) => <CreateKeyForm onValue={onValue} onCancel={onClose} />}
    />
  );
}

interface FormProps {
  onValue: (value: string) => void;
  onCancel: () => void;
}

function CreateKeyForm({ onValue, onCancel }: FormProps) {
  const { create } = useKeyActions();
  const [token] = useState(requestToken);
  const [name, setName] = useState('');
  const [budget, setBudget] = useState<BudgetText>({ cap: '', reset: 'never' });
  const [touched, setTouched] = useState(false);
  const { busy, submit, problem, problemOf } = useSubmit(['name', 'budget_usdc', 'budget_reset']);
  const read = readBudget(budget);
  const ownProblems = {
    name: touched ? nameProblem(name) : undefined,
    budget: touched && 'problem' in read ? read.problem : undefined,
  };
  const send = () => {
    setTouched(true);
    if (nameProblem(name) !== undefined || 'problem' in read) return;
    void submit(async () => {
      const { budget_usdc, budget_reset } = read.budget ?? { budget_reset: 'never' };
      const key = { name: name.trim(), request_token: token, budget_usdc, budget_reset };
      const { id, value } = await create(key);
      rememberFreshKey({ id, value });
      onValue(value);
    });
  };
  return (
    <Form onSubmit={send}>
      <Stack>
        <TextInput
          label="Name"
          description="Where it will be used: an app, a machine, a person."
          placeholder="My laptop"
          autoComplete="off"
          data-autofocus
          required
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={ownProblems.name ?? problemOf('name')}
        />
        <BudgetFields
          value={budget}
          onChange={setBudget}
          capError={ownProblems.budget ?? problemOf('budget_usdc')}
          resetError={problemOf('budget_reset')}
        />
        <FormEnd problem={problem} busy={busy} onCancel={onCancel} label="Create key" />
      </Stack>
    </Form>
  );
}
