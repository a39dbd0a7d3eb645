import { Button, Group, Select, Stack, Text, Textarea } from '@mantine/core';
import { SAMPLE_TOOLS, withSample } from './sample-tools';
import { FUNCTION_CHOICE, SETTING_NAMES, readTools } from './settings';
import type { SettingsProps } from './settings-props';

/** The tools that the model may call, and whether it must. */
export function ToolSettings({ settings, problems, model, change }: SettingsProps) {
  const tools = readTools(settings.tools);
  const cannot = settings.tools.trim() !== '' && model?.svc.capabilities.tools === false;
  return (
    <Stack gap="xs">
      <Textarea
        label={SETTING_NAMES.tools}
        description="A JSON array. You answer their calls by hand."
        value={settings.tools}
        onChange={(event) => change({ tools: event.currentTarget.value })}
        error={problems.tools}
        autosize
        minRows={2}
        maxRows={14}
        classNames={{ input: 'code-field' }}
        spellCheck={false}
      />
      {cannot && <Text size="xs">{model.id} has no tools; it will be refused.</Text>}
      <Group gap="xs">
        {SAMPLE_TOOLS.map((sample) => (
          <Button
            key={sample.label}
            size="compact-xs"
            variant="default"
            disabled={typeof tools === 'string'}
            onClick={() => change({ tools: withSample(settings.tools, sample) })}
          >
            {sample.label}
          </Button>
        ))}
        {settings.tools !== '' && (
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => change({ tools: '' })}>
            None
          </Button>
        )}
      </Group>
      {typeof tools !== 'string' && tools.length > 0 && (
        <Select
          label={SETTING_NAMES.toolChoice}
          data={[
            { value: 'auto', label: 'The model decides' },
            { value: 'required', label: 'It must call one' },
            { value: 'none', label: 'It calls none' },
            ...tools.map((tool) => ({
              value: FUNCTION_CHOICE + tool.function.name,
              label: `It calls ${tool.function.name}`,
            })),
          ]}
          value={settings.toolChoice}
          onChange={(toolChoice) => change({ toolChoice: toolChoice ?? 'auto' })}
          allowDeselect={false}
        />
      )}
    </Stack>
  );
}
