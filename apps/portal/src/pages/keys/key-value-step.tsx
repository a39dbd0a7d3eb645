import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useConfig } from '../../api/config';
import { CopyField } from '../../design/copy';
import './keys.css';

interface KeyValueStepProps {
  value: string;
  /** What else there is to know. */
  children?: ReactNode;
  onDone: () => void;
}

/** A key's value, the one time that it is shown. It stays until somebody says that it is saved. */
export function KeyValueStep({ value, children, onDone }: KeyValueStepProps) {
  const [saved, setSaved] = useState(false);
  const { base_url } = useConfig();
  const top = useRef<HTMLDivElement>(null);
  // The form that had the focus is gone.
  useEffect(() => top.current?.focus(), []);
  useWarningBeforeLeaving(!saved);
  const [wasKept, setWasKept] = useState(false);
  const finish = useStep(() => {
    setWasKept(!saved);
    if (saved) onDone();
    return saved;
  });
  return (
    <Stack ref={top} tabIndex={-1} className="key-value-step">
      <Alert color="yellow" variant="light" icon={<IconEyeOff />} title="Shown only now">
        Save it where you keep passwords. Nobody can show it again; a lost one can be replaced by rotating the
        key.
      </Alert>
      <CopyField value={value} label="API key" />
      {children}
      <Text size="sm" c="dimmed">
        Send it as <code>authorization: Bearer …</code> to <code className="breakable">{base_url}</code>.
      </Text>
      {wasKept && !saved && (
        <Alert color="red" role="alert">
          The key would be lost. Save it and say so here, then go back.
        </Alert>
      )}
      <Checkbox
        label="I have saved this key"
        checked={saved}
        onChange={({ currentTarget }) => setSaved(currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button onClick={finish} disabled={!saved}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

function useWarningBeforeLeaving(active: boolean): void {
  useEffect(() => {
    if (!active) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [active]);
}

/**
 * Makes what is shown a step of its own in the browser's history: going back ends it, and not the page.
 * @param onBack whether it ends by that; else it is shown on
 * @returns what goes back
 */
function useStep(onBack: () => boolean): () => void {
  const isPut = useRef(false);
  const latest = useRef(onBack);
  useEffect(() => {
    latest.current = onBack;
  });
  useEffect(() => {
    const put = () => window.history.pushState(window.history.state, '');
    const onPop = () => {
      if (!latest.current()) put();
    };
    if (!isPut.current) put();
    isPut.current = true;
    window.addEventListener('popstate', onPop);
    return () => window.removeEventListener('popstate', onPop);
  }, []);
  return () => window.history.back();
}
