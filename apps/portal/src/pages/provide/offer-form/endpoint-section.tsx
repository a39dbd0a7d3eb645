import { Checkbox, PasswordInput } from '@mantine/core';
import { useConfig } from '../../../api/config';
import { Section } from './section';
import type { SectionProps } from './section-props';
import { TextField } from './text-field';

/** Where the server is. Nobody but the marketplace's dispatch is told. */
export function EndpointSection({
  draft,
  change,
  field,
  hasCredential,
}: SectionProps & { hasCredential: boolean }) {
  const { chain } = useConfig();
  const { onChange: onCredential, ...credential } = field('credential');
  return (
    <Section
      title="Server"
      hint="Where the marketplace sends requests. The address is never shown to anybody."
    >
      <TextField
        label="Endpoint"
        description={
          chain.is_local
            ? 'Base URL up to and including /v1. On this local market a server on this machine will do, such as http://127.0.0.1:8000/v1.'
            : 'Base URL up to and including /v1. It must be reachable from the internet; private addresses are refused.'
        }
        placeholder={chain.is_local ? 'http://127.0.0.1:8000/v1' : 'https://llm.example.com/v1'}
        inputMode="url"
        required
        {...field('endpoint')}
      />
      <TextField
        label="Model’s name on your server"
        description="What goes into the field “model” of requests to it."
        placeholder="demo-8b-instruct"
        required
        {...field('upstream_model')}
      />
      <PasswordInput
        label="Token"
        description={
          hasCredential
            ? 'One is kept, encrypted. Leave this empty to keep it for the same endpoint; what you give here replaces it.'
            : 'If your server wants a bearer token. It is encrypted on arrival and shown to nobody, not even to you.'
        }
        autoComplete="off"
        {...credential}
        disabled={draft.dropsCredential}
        onChange={(event) => onCredential(event.currentTarget.value)}
      />
      {hasCredential && (
        <Checkbox
          label="Take the kept token away: the server wants none"
          checked={draft.dropsCredential}
          onChange={(event) => change({ dropsCredential: event.currentTarget.checked })}
        />
      )}
    </Section>
  );
}
