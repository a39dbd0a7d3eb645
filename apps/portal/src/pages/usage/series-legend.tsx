import { ColorSwatch, Group, Text, useMantineTheme } from '@mantine/core';
import { getThemeColor } from '@mantine/core';

interface SeriesLegendProps {
  series: { name: string; label: string; color: string }[];
}

/** What the colours stand for. */
export function SeriesLegend({ series }: SeriesLegendProps) {
  const theme = useMantineTheme();
  if (series.length < 2) return null;
  return (
    <Group gap="xs" mt="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {series.map(({ name, label, color }) => (
        <Group key={name} gap={6} wrap="nowrap" component="li" miw={0}>
          <ColorSwatch color={getThemeColor(color, theme)} size={10} withShadow={false} aria-hidden />
          <Text size="xs" className="breakable">
            {label}
          </Text>
        </Group>
      ))}
    </Group>
  );
}
