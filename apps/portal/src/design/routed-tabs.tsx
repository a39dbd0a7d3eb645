import { Tabs } from '@mantine/core';
import { useEffect, useRef } from 'react';
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
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => showCurrent(list.current), [value]);
  return (
    <Tabs value={value} onChange={(path) => void (path !== null && navigate(path))}>
      <Tabs.List ref={list} aria-label={label} mb="lg" className="routed-tabs">
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

/** On a phone not all of them fit: the one that is open stands in the middle, as far as it goes, and shows that there are others. */
function showCurrent(list: HTMLElement | null): void {
  const tab = list?.querySelector('[role="tab"][aria-selected="true"]');
  if (!list || !tab) return;
  const [around, own] = [list.getBoundingClientRect(), tab.getBoundingClientRect()];
  list.scrollLeft += own.left + own.width / 2 - (around.left + around.width / 2);
}
