import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@svc/local-servers';
import { readWorkspaceFile } from './compose-file.for-spec';

const APPS = ['gateway', 'catalog', 'cortex', 'dispatch', 'billing'];
const UNITS: Record<string, number> = { days: 86_400_000, MiB: 2 ** 20 };

type Preset = string | number | undefined;

interface Variable {
  /** In full: operators look for it as their logs and files have it. */
  name: string;
  /** The text of its default; undefined where the document tells none. */
  preset?: string;
}

/** What each variable of an app is when nobody gives it, by name: undefined where it is required or has no default. */
function presetsOf(app: string): Map<string, Preset> {
  const sources = ['libs/config/src', `apps/${app}/src`].flatMap((folder) =>
    readdirSync(join(workspaceRoot, folder))
      // Failpoints are for tests of crashes.
      .filter((name) => name.endsWith('.config.ts') && name !== 'failpoint.config.ts')
      .map((name) => readWorkspaceFile(`${folder}/${name}`)),
  );
  const exported = jest.requireActual<Record<string, new () => object>>(
    join(workspaceRoot, 'apps', app, 'src', `${app}.config.ts`),
  );
  const [, Config] = Object.entries(exported).find(([name]) => /^[A-Z]\w+Config$/.test(name)) ?? [];
  if (!Config) throw new Error(`apps/${app} has no class of its configuration`);
  const presets = new Config() as Record<string, Preset>;
  const bound = sources.flatMap((text) => [
    ...text.matchAll(/@Env\('(\w+)'\)(?:(?!@Env\()[^])*?\n {2}(\w+)[?!]?:/g),
  ]);
  return new Map(bound.map(([, variable = '', property = '']) => [variable, presets[property]]));
}

/** The variables of docs/configuration.md's table, by the service they are for. */
function documentedVariables(): Map<string, Variable[]> {
  const table =
    readWorkspaceFile('docs/configuration.md').split('| service  | variable')[1]?.split('\n\n')[0] ?? '';
  const byService = new Map<string, Variable[]>();
  let service = '';
  for (const row of table.split('\n').slice(2)) {
    const [, named = '', variables = '', meaning = ''] = row.split('|').map((cell) => cell.trim());
    service = named || service;
    const told = [...`${variables} ${meaning}`.matchAll(/`([A-Z_]+)`(?: \(([^)]*)\))?/g)];
    const those = told.map(([, name = '', preset]) => ({ name, preset }));
    byService.set(service, [...(byService.get(service) ?? []), ...those]);
  }
  return byService;
}

function valueOf(preset: string): string {
  const [, number, unit = ''] = /^(\d+) (\w+)$/.exec(preset) ?? [];
  if (number !== undefined) return String(Number(number) * (UNITS[unit] ?? NaN));
  return preset === 'none' ? '' : preset.replaceAll('`', '');
}

describe('the table of variables in docs/configuration.md', () => {
  const documented = documentedVariables();
  const forAll = documented.get('all') ?? [];

  it.each(APPS)('has every variable of %s, and the defaults that it has', (app) => {
    const presets = presetsOf(app);
    const told = [...forAll, ...(documented.get(app) ?? [])];
    const untold = [...presets.keys()].filter((name) => !told.some((one) => one.name === name));
    expect(untold).toEqual([]);
    for (const one of told.filter(({ preset }) => preset !== undefined)) {
      if (!presets.has(one.name)) continue;
      expect([one.name, String(presets.get(one.name) ?? '')]).toEqual([one.name, valueOf(one.preset ?? '')]);
    }
  });

  it('has none that nobody reads', () => {
    const read = new Set(APPS.flatMap((app) => [...presetsOf(app).keys()]));
    const told = ['all', ...APPS].flatMap((service) => documented.get(service) ?? []);
    expect(told.length).toBeGreaterThan(60);
    expect(told.filter((one) => !read.has(one.name))).toEqual([]);
  });
});
