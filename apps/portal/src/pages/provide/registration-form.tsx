import { Button, Group, Stack, TextInput } from '@mantine/core';
import { IconSignature } from '@tabler/icons-react';
import { useState } from 'react';
import { api, dataOf } from '../../api/client';
import { Form } from '../../design/form';
import { FormProblem, StopWaiting } from '../../design/form-end';
import { notify } from '../../design/notify';
import { tooLong } from '../../design/too-long';
import { useSubmit } from '../../design/use-submit';
import { useSignedAct } from './use-signed-act';

interface RegistrationFormProps {
  /** The name it has already; undefined for who is not registered yet. */
  registeredName?: string;
}

/** Name and contact, signed in the wallet. */
export function RegistrationForm({ registeredName }: RegistrationFormProps) {
  const { sign, stop } = useSignedAct();
  const [name, setName] = useState(registeredName ?? '');
  const [contact, setContact] = useState('');
  const [missing, setMissing] = useState(false);
  const { busy, problem, problemOf, submit } = useSubmit(['name', 'contact']);
  const isNew = registeredName === undefined;
  const fields = { name: name.trim(), contact: contact.trim() };
  const excess = { name: tooLong(fields.name, 80), contact: tooLong(fields.contact, 200) };
  const send = () => {
    if (fields.name === '') return setMissing(true);
    if (excess.name !== undefined || excess.contact !== undefined) return;
    void submit(async () => {
      await sign('Registration', fields, (signed) =>
        dataOf(api.POST('/v1/providers', { body: { ...signed, ...fields } })),
      );
      notify.success(isNew ? 'You are registered as a provider.' : 'Your name and contact are changed.');
    });
  };
  return (
    <Form onSubmit={send} label="Registration">
      <Stack>
        <TextInput
          label="Name"
          description="What buyers see beside your offers and in the routes of their requests."
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setMissing(false);
          }}
          error={missing ? 'Give a name.' : (excess.name ?? problemOf('name'))}
          required
        />
        <TextInput
          label="Contact"
          description={
            isNew
              ? 'How operators reach you, such as an e-mail address. Shown to nobody else; may be empty.'
              : 'Replaces the one that you gave before; empty takes it away. Shown to operators only.'
          }
          value={contact}
          onChange={(event) => setContact(event.currentTarget.value)}
          error={excess.contact ?? problemOf('contact')}
          autoComplete="email"
        />
        <FormProblem>{problem}</FormProblem>
        <Group>
          <Button type="submit" loading={busy} leftSection={<IconSignature size={16} />}>
            {isNew ? 'Sign and register' : 'Sign the change'}
          </Button>
          <StopWaiting stop={stop} />
        </Group>
      </Stack>
    </Form>
  );
}
