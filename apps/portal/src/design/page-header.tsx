import { Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle, useId } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { isReturning } from './use-scroll-place';

interface PageHeaderProps {
  title: string;
  description?: ReactNode;
  /** Buttons at the end of the line. */
  actions?: ReactNode;
}

/** The page that a visit begins with is read from its top, skip link first, as any page; later ones take the focus. */
let isFirst = true;

/** A page's heading: names the document, and is where the focus goes when the page is gone to. Once on each page. */
export function PageHeader({ title, description, actions }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useDocumentTitle(`${title} · svc`);
  useEffect(() => {
    const wasFirst = isFirst;
    isFirst = false;
    // A page that comes with a focus of its own, such as a field to fill in, keeps it.
    const isOwn = document.activeElement?.closest('main, [role="dialog"]') ?? null;
    // Who goes back is led to where they were on the page, not to its top.
    if (!wasFirst && isOwn === null) heading.current?.focus({ preventScroll: isReturning() });
  }, []);
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
      <Stack gap={4} maw={720}>
        <Title order={1} id={id} ref={heading} tabIndex={-1} className="page-title">
          {title}
        </Title>
        {description !== undefined && (
          <Text c="dimmed" size="sm">
            {description}
          </Text>
        )}
      </Stack>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
