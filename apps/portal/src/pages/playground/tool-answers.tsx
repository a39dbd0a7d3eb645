import { Button, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { ToolCall } from './conversation';
import { sampleAnswer } from './sample-tools';

interface ToolAnswersProps {
  calls: ToolCall[];
  mayAnswer: boolean;
  /** What was typed before the page was left, and what is told of all that is typed. */
  drafts: ReadonlyMap<string, string>;
  keep: (answers: ReadonlyMap<string, string>) => void;
  answer: (answers: ReadonlyMap<string, string>) => void;
}

/** Where somebody is the tools: an answer to each call, then the model goes on. */
export function ToolAnswers({ calls, mayAnswer, drafts, keep, answer }: ToolAnswersProps) {
  const [answers, setAnswers] = useState(
    () => new Map(calls.map(({ id, name }) => [id, drafts.get(id) ?? sampleAnswer(name)])),
  );
  return (
    <Paper withBorder p="md" component="form" aria-label="Answers of the tools">
      <Stack gap="sm">
        <Text size="sm">
          The model waits for its tools. You are the tools: say what each of them answers.
        </Text>
        {calls.map(({ id, name }) => (
          <Textarea
            key={id}
            label={`Answer of ${name}`}
            value={answers.get(id) ?? ''}
            onChange={(event) => {
              const typed = new Map(answers).set(id, event.currentTarget.value);
              setAnswers(typed);
              keep(typed);
            }}
            autosize
            minRows={2}
            maxRows={10}
            classNames={{ input: 'code-field' }}
            spellCheck={false}
          />
        ))}
        <Group justify="flex-end">
          <Button size="xs" onClick={() => answer(answers)} disabled={!mayAnswer}>
            {calls.length === 1 ? 'Send the answer' : 'Send the answers'}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
