import { Button, Group, Select, Stack, Text, Textarea } from '@mantine/core';
import { SAMPLE_SCHEMA } from './sample-tools';
import { SETTING_NAMES } from './settings';
import type { Settings } from './settings';
import type { SettingsProps } from './settings-props';

const FORMATS = [
  { value: 'text', label: 'Text' },
  { value: 'json_object', label: 'Any JSON object' },
  { value: 'json_schema', label: 'JSON of a schema' },
];

/** In which form the answer is to be. */
export function FormatSettings({ settings, problems, model, change }: SettingsProps) {
  const cannot = settings.format !== 'text' && model?.svc.capabilities.structuredOutputs === false;
  return (
    <Stack gap="xs">
      <Select
        label={SETTING_NAMES.format}
        data={FORMATS}
        value={settings.format}
        onChange={(format) => change({ format: format as Settings['format'] })}
        allowDeselect={false}
      />
      {cannot && <Text size="xs">{model.id} is not certified for this; it will be refused.</Text>}
      {settings.format === 'json_schema' && (
        <>
          <Textarea
            label={SETTING_NAMES.schema}
            value={settings.schema}
            onChange={(event) => change({ schema: event.currentTarget.value })}
            error={problems.schema}
            autosize
            minRows={4}
            maxRows={12}
            classNames={{ input: 'code-field' }}
            spellCheck={false}
          />
          <Group>
            <Button size="compact-xs" variant="default" onClick={() => change({ schema: SAMPLE_SCHEMA })}>
              Use an example
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}
