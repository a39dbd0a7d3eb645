import { copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';

/**
 * Sees to it that the chain finds a whole state file. Anvil overwrites the file in place, so a kill at the wrong moment
 * leaves a torn one that it refuses to load. The last whole state is kept beside it at each start, and put back here;
 * the torn one is kept for a look.
 * @param stateFile need not exist
 */
export function repairChainState(stateFile: string): void {
  const former = `${stateFile}.former`;
  if (existsSync(stateFile)) {
    if (isWhole(stateFile)) return copyFileSync(stateFile, former);
    renameSync(stateFile, `${stateFile}.torn`);
  }
  // Also when an earlier start could not put it back, say on a full disk.
  if (existsSync(former)) copyFileSync(former, stateFile);
}

function isWhole(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, 'utf8'));
    return true;
  } catch {
    return false;
  }
}
