import { readText } from './workspace-texts.for-spec';

interface LockedPackage {
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
}

/** Whether a package finds another as Node does: in its own `node_modules`, or in that of a folder around it. */
function finds(packages: Record<string, LockedPackage>, path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/'), 0))) {
    if (`${folder}/node_modules/${name}`.replace(/^\//, '') in packages) return true;
    if (folder === '') return false;
  }
}

describe('the lockfile', () => {
  // npm leaves out those of other platforms than the one it ran on, where a node_modules is there already; `npm ci` then refuses it
  // everywhere.
  it('lists every package that another needs, those of all platforms too', () => {
    const { packages } = JSON.parse(readText('package-lock.json')) as {
      packages: Record<string, LockedPackage>;
    };
    const needed = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => ({ path, name })),
    );
    expect(needed.length).toBeGreaterThan(1_000);
    expect(needed.filter(({ path, name }) => !finds(packages, path, name))).toEqual([]);
  });
});
