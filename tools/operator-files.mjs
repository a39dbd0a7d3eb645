import { resolve } from 'node:path';

/** A file as whoever calls means it: npm runs scripts in the project's folder and names the one it was called in. */
export function fileOfCaller(file) {
  const folder = process.env.npm_lifecycle_event === 'operator' ? process.env.INIT_CWD : undefined;
  return resolve(folder ?? '.', file);
}
