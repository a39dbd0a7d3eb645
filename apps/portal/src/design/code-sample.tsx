import { Box, Code, Tabs } from '@mantine/core';
import { useId } from '@mantine/hooks';
import { CopyButton } from './copy';

export interface CodeSampleText {
  /** The tab's name, such as "Python". */
  label: string;
  code: string;
  /** What the copy button copies when the code shown leaves a secret out. */
  copyCode?: string;
}

/** Code to copy, in one language or several. */
export function CodeSample({ samples, label }: { samples: CodeSampleText[]; label: string }) {
  const id = useId();
  const [first] = samples;
  if (first === undefined) return null;
  if (samples.length === 1) return <CodeBlock sample={first} label={label} />;
  return (
    <Tabs defaultValue={first.label} id={id} keepMounted={false} variant="outline">
      <Tabs.List aria-label={label}>
        {samples.map((sample) => (
          <Tabs.Tab key={sample.label} value={sample.label}>
            {sample.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map((sample) => (
        <Tabs.Panel key={sample.label} value={sample.label} pt="xs">
          <CodeBlock sample={sample} label={label} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function CodeBlock({ sample, label }: { sample: CodeSampleText; label: string }) {
  return (
    <Box className="code-sample">
      {/* Scrollable, so it must be reachable by keyboard. */}
      <Code block tabIndex={0} aria-label={`${label}, ${sample.label}`} role="region">
        {sample.code}
      </Code>
      <Box className="code-sample-copy">
        <CopyButton value={sample.copyCode ?? sample.code} label={`${sample.label} code`} />
      </Box>
    </Box>
  );
}
