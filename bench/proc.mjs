// What Linux says of a process and its children: memory, and the metrics that it shows on a port of its own.
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { childrenOf } from './cpu.mjs';

const withChildren = (pid) => [pid, ...childrenOf(pid).flatMap(withChildren)];

function kilobytesOf(pid, file, field) {
  try {
    return Number(
      new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1] ?? 0,
    );
  } catch {
    return 0;
  }
}

/**
 * Bytes of memory of processes and their children. What they share counts once in `pss`, and for each of them in `rss`.
 */
export function memoryOf(pids) {
  const all = pids.flatMap(withChildren);
  const sum = (file, field) => all.reduce((bytes, pid) => bytes + 1_024 * kilobytesOf(pid, file, field), 0);
  return { rss: sum('status', 'VmRSS'), pss: sum('smaps_rollup', 'Pss') };
}

const LISTENS = '0A';

/** The TCP ports on which a process listens. */
function portsOf(pid) {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  const rows = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1),
  );
  return rows.flatMap((row) => {
    const [, local, , state, , , , , , inode] = row.trim().split(/\s+/);
    return state === LISTENS && inodes.has(inode) ? [parseInt(local.split(':')[1], 16)] : [];
  });
}

/** The Prometheus text of a service's process. */
export async function metricsOf(pid) {
  for (const port of portsOf(pid)) {
    const reply = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    const text = await reply?.text();
    if (reply?.ok) return text;
  }
  throw new Error(`process ${pid} shows no metrics`);
}

/** The values of a metric, each with its labels as they stand in the text. */
export function samplesOf(text, metric) {
  return text.split('\n').flatMap((line) => {
    const [, labels = '', value] = new RegExp(`^${metric}(?:\\{(.*)\\})? (\\S+)$`).exec(line) ?? [];
    return value === undefined ? [] : [{ labels, value: Number(value) }];
  });
}
