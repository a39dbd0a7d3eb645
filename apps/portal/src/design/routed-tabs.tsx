import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocation, useNavigate } from 'react-router';

interface RoutedTab {
  /** Where it leads, such as `/operators/wallets`. */
  path: string;
  label: ReactNode;
}

interface RoutedTabsProps {
  /** What the tabs are, for screen readers. */
  label: string;
  tabs: readonly RoutedTab[];
  children: ReactNode;
}

/** Tabs that are addresses of their own: they can be linked, reloaded and gone back from. */
export function RoutedTabs({ label, tabs, children }: RoutedTabsProps) {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const current = tabs.findLast(({ path }) => pathname === path || pathname.startsWith(`${path}/`));
  const value = current?.path ?? null;
  return (
    <Tabs value={value} onChange={(path) => void (path !== null && navigate(path))}>
      <Tabs.List aria-label={label} mb="lg" className="routed-tabs">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.path} value={tab.path}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {value === null ? children : <Tabs.Panel value={value}>{children}</Tabs.Panel>}
    </Tabs>
  );
}
