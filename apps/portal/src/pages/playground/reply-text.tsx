import { Box, Code, Stack, Text } from '@mantine/core';
import { CopyButton } from '../../design/copy';
import { parseMarkdown } from './markdown';
import type { Block } from './markdown';

/** What a model wrote, as text: nothing in it is ever a tag, a link or a picture. */
export function ReplyText({ text, isTyping }: { text: string; isTyping: boolean }) {
  const blocks = parseMarkdown(text);
  return (
    <Stack gap="xs" data-testid="reply-text">
      {blocks.map((block, at) => (
        <BlockView key={at} block={block} isTyping={isTyping && at === blocks.length - 1} />
      ))}
      {isTyping && blocks.length === 0 && <div className="typing" aria-hidden />}
    </Stack>
  );
}

function BlockView({ block, isTyping }: { block: Block; isTyping: boolean }) {
  if (block.kind === 'code') {
    return (
      <Box className="code-sample">
        <Code
          block
          className="turn-code"
          tabIndex={0}
          role="region"
          aria-label={`Code ${block.language}`.trim()}
        >
          {block.text}
        </Code>
        <Box className="code-sample-copy">
          <CopyButton value={block.text} label="code" />
        </Box>
      </Box>
    );
  }
  return (
    <div className={isTyping ? 'turn-text typing' : 'turn-text'}>
      {block.spans.map(({ kind, text }, at) => {
        if (kind === 'code') return <Code key={at}>{text}</Code>;
        return kind === 'bold' ? (
          <Text key={at} component="strong" inherit fw={600}>
            {text}
          </Text>
        ) : (
          text
        );
      })}
    </div>
  );
}
