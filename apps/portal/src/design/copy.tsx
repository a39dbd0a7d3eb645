import { ActionIcon, Button, Code, Group, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect } from 'react';
import { announce } from './announcer';
import { notify } from './notify';

interface CopyProps {
  value: string;
  /** What is copied, as in "Copy address". */
  label: string;
}

function useCopy({ value, label }: CopyProps) {
  const { copy, copied, error } = useClipboard({ timeout: 2000 });
  useEffect(() => {
    if (copied) announce(`${label} copied`);
  }, [copied, label]);
  useEffect(() => {
    if (error !== null) notify.notCopied();
  }, [error]);
  return { copied, copy: () => copy(value) };
}

/** A small button that copies. */
export function CopyButton(props: CopyProps) {
  const { copied, copy } = useCopy(props);
  return (
    <Tooltip label={copied ? 'Copied' : `Copy ${props.label}`}>
      <ActionIcon variant="subtle" color="gray" size={24} onClick={copy} aria-label={`Copy ${props.label}`}>
        {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      </ActionIcon>
    </Tooltip>
  );
}

/** A value that somebody is to take away, with a large button. */
export function CopyField(props: CopyProps) {
  const { copied, copy } = useCopy(props);
  return (
    <Group gap="xs" wrap="nowrap" align="stretch">
      <Code block className="copy-field" data-testid={`copy-${props.label.replaceAll(' ', '-')}`}>
        {props.value}
      </Code>
      <Button
        variant={copied ? 'light' : 'default'}
        leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        onClick={copy}
        aria-label={`Copy ${props.label}`}
        h="auto"
      >
        {copied ? 'Copied' : 'Copy'}
      </Button>
    </Group>
  );
}
