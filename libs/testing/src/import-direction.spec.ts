import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { WORKSPACE, all, readText } from './workspace-texts.for-spec';

const RELATIVE_IMPORT = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;
const PROJECTS = ['apps', 'libs'].flatMap((kind) =>
  readdirSync(join(WORKSPACE, kind)).map((project) => `${kind}/${project}`),
);

type Graph = Map<string, Set<string>>;

/** What each file of a project imports of the same project: what is built, without specs and generated code. */
function importsIn(project: string): Graph {
  const source = `${project}/src`;
  const files = readdirSync(join(WORKSPACE, source), { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !/spec\.ts$/.test(path) && !/(^|\/)generated\//.test(path),
  );
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const imported = all(readText(`${source}/${file}`), RELATIVE_IMPORT).flatMap((path) => {
        const target = posix.join(posix.dirname(file), path);
        const found = [target, `${target}.ts`, `${target}.tsx`, `${target}/index.ts`].find((name) =>
          known.has(name),
        );
        return found === undefined ? [] : [found];
      });
      return [file, new Set(imported)];
    }),
  );
}

/** The same between folders of the first level; a file beside them stands for itself. */
function betweenFolders(files: Graph): Graph {
  const folderOf = (file: string) => file.split('/', 1)[0] ?? file;
  const folders: Graph = new Map();
  for (const [file, imported] of files) {
    const from = folderOf(file);
    const targets = folders.get(from) ?? new Set();
    for (const target of imported) if (folderOf(target) !== from) targets.add(folderOf(target));
    folders.set(from, targets);
  }
  return folders;
}

/** A way that leads back to where it began; undefined when there is none. */
function circleIn(graph: Graph): string | undefined {
  const done = new Set<string>();
  const follow = (place: string, way: readonly string[]): string | undefined => {
    const met = way.indexOf(place);
    if (met !== -1) return [...way.slice(met), place].join(' -> ');
    if (done.has(place)) return undefined;
    for (const next of graph.get(place) ?? []) {
      const circle = follow(next, [...way, place]);
      if (circle !== undefined) return circle;
    }
    done.add(place);
    return undefined;
  };
  for (const place of graph.keys()) {
    const circle = follow(place, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

describe('imports within a project', () => {
  it.each(PROJECTS)('lead one way only, between files and between folders: %s', (project) => {
    const files = importsIn(project);
    expect(files.size).toBeGreaterThan(0);
    expect({ files: circleIn(files), folders: circleIn(betweenFolders(files)) }).toEqual({});
  });

  it('are told when they lead in a circle', () => {
    const files: Graph = new Map([
      ['a/one.ts', new Set(['b/two.ts'])],
      ['b/two.ts', new Set()],
      ['b/three.ts', new Set(['a/one.ts'])],
    ]);
    expect(circleIn(files)).toBeUndefined();
    expect(circleIn(betweenFolders(files))).toBe('a -> b -> a');
  });
});
