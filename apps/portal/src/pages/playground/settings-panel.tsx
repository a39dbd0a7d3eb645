import { Select, SimpleGrid, Stack, TagsInput, Text, TextInput, Textarea } from '@mantine/core';
import type { ChatModel } from '../../api/chat-models';
import { FormatSettings } from './format-settings';
import { MOST_STOPS, SETTING_NAMES } from './settings';
import type { SettingsProps } from './settings-props';
import { ToolSettings } from './tool-settings';

/** What a request is made of besides what is said. Fields that are left empty are not sent. */
export function SettingsPanel({ models, ...props }: SettingsProps & { models: readonly ChatModel[] }) {
  const { settings, problems, model, change } = props;
  return (
    <Stack gap="md">
      <Select
        label={SETTING_NAMES.model}
        data={choicesOf(models, settings.model)}
        value={settings.model === '' ? null : settings.model}
        onChange={(id) => id !== null && change({ model: id })}
        allowDeselect={false}
        searchable={models.length > 8}
        error={problems.model}
        description={model?.svc.cortex ? 'Picks the best model for each request' : undefined}
      />
      <Textarea
        label={SETTING_NAMES.system}
        placeholder="How the model should behave"
        value={settings.system}
        onChange={(event) => change({ system: event.currentTarget.value })}
        autosize
        minRows={2}
        maxRows={8}
      />
      <Sampling {...props} />
      <TagsInput
        label={SETTING_NAMES.stop}
        description="The answer ends before any of these. \n is a line break."
        placeholder={settings.stop.length === 0 ? 'Type one, then Enter' : undefined}
        value={settings.stop}
        onChange={(stop) => change({ stop })}
        maxTags={MOST_STOPS}
        splitChars={[]}
      />
      <FormatSettings {...props} />
      <ToolSettings {...props} />
      <Text size="xs" c="dimmed">
        The conversation is kept in this tab’s memory alone. Reload, and it is gone.
      </Text>
    </Stack>
  );
}

/** With the one that is chosen, also while it is not among them. */
function choicesOf(models: readonly ChatModel[], chosen: string): { value: string; label: string }[] {
  const choices = models.map(({ id, svc }) => ({
    value: id,
    label: svc.pricing ? id : `${id} (no live offers)`,
  }));
  const isThere = chosen === '' || choices.some(({ value }) => value === chosen);
  return isThere ? choices : [{ value: chosen, label: chosen }, ...choices];
}

function Sampling({ settings, problems, model, change }: SettingsProps) {
  const most = model?.svc.capabilities.maxOutputTokens;
  const fields = [
    { field: 'temperature', placeholder: '0 to 2' },
    { field: 'topP', placeholder: '0 to 1' },
    {
      field: 'maxTokens',
      placeholder: most === undefined ? 'Any' : `to ${most.toLocaleString('en')}`,
    },
    { field: 'seed', placeholder: 'Any' },
  ] as const;
  return (
    <SimpleGrid cols={2} spacing="xs" verticalSpacing="xs">
      {fields.map(({ field, placeholder }) => (
        <TextInput
          key={field}
          label={SETTING_NAMES[field]}
          placeholder={placeholder}
          inputMode="decimal"
          value={settings[field]}
          error={problems[field]}
          onChange={(event) => change({ [field]: event.currentTarget.value })}
          autoComplete="off"
        />
      ))}
    </SimpleGrid>
  );
}
